/** Sources in `src/dashboard/assets` that a page starts from, beside those of every page. What they import is bundled with them. */
interface PageSources {
  readonly script?: string;
  readonly style?: string;
}

/** The sources of each kind of page. `all` is loaded by every page. */
export const PAGE_SOURCES = {
  all: { script: "dashboard.js", style: "dashboard.css" },
  batch: { script: "batch.js", style: "styles/media-list.css" },
  compareVersions: { script: "compare-versions.js", style: "compare.css" },
  deletions: { style: "styles/deletions.css" },
  media: { script: "media.js", style: "compare.css" },
  mediaList: { script: "media-list.js", style: "styles/media-list.css" },
  overview: { style: "styles/media-list.css" },
  photoEditor: { script: "editor.js", style: "editor.css" },
  report: { style: "styles/report.css" },
  review: { script: "review.js", style: "editor.css" },
  reviewRules: { style: "styles/review-rules.css" },
  security: { style: "styles/security.css" },
  upload: { script: "upload.js", style: "styles/upload.css" },
  videoEditor: { script: "video-editor.js", style: "editor.css" },
} as const satisfies Readonly<Record<string, PageSources>>;
