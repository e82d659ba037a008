/** Search words that a section does not contain, by its address. Sections that match them come first. */
export const SEARCH_KEYWORDS: Readonly<Record<string, string>> = {
  "/docs#deleteMedia": "delete everything, erase, remove all",
  "/docs#getStatusDetails": "stuck, hangs, slow, progress, why failed",
  "/docs/categories#categories": "accuracy, recall, precision, quality, how good",
  "/docs/corrections#cover-a-missed-face-or-remove-a-wrong-mask":
    "false positive, false negative, unblur, undo, uncover, remove blur",
  "/docs/corrections#what-a-revision-hides": "current version, revise again, lost changes",
  "/docs/errors#errors": "400, 401, 403, 404, 409, 422, 429, 500, forbidden, status codes",
  "/docs/errors#media-that-end-without-a-redacted-file": "stuck, failed, failure codes",
  "/docs/limits#limits": "max file size, maximum size, quota, plans",
  "/docs/quick-start#from-a-browser-or-a-phone": "cors, frontend, javascript in a page",
  "/docs/quick-start#install-the-clients": "sdk, library, package, npm, npx, pip, install",
  "/docs/quick-start#quick-start": "quickstart, getting started, create api key, authentication, token",
  "/docs/quick-start#what-to-expect": "replay, idempotency, changelog, versioning, retries",
  "/docs/quick-start#retry-a-file-that-failed": "try again, failed, resend, re-run, rerun",
  "/docs/webhooks#answer-quickly-and-expect-duplicates": "replay, re-send, retry",
};
