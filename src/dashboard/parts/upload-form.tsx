import {
  FORMAT_CONTENT_TYPES,
  REDACTION_METHODS,
  type MediaFormat,
  type RedactionCategory,
} from "../../vocabulary/media-values.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { shownName } from "./format.tsx";
import { Icon } from "./icons.tsx";

const FORMAT_NAMES = {
  jpeg: "JPEG",
  png: "PNG",
  webp: "WebP",
  mp4: "MP4",
  quicktime: "QuickTime",
  webm: "WebM",
} as const satisfies Record<MediaFormat, string>;
const PRESELECTED = new Set<RedactionCategory>(["heads", "license_plates"]);

/** Upload by choosing or dropping files. The page's script sends each file and shows how far it is. */
export function UploadForm({
  viewer,
  served,
  maxFileBytes,
}: {
  viewer: Viewer;
  served: readonly RedactionCategory[];
  maxFileBytes: number;
}) {
  return (
    <>
      <p class="soft" data-without-script>
        Uploading here needs JavaScript. The API does not.
      </p>
      <form
        class="upload"
        data-upload={`${DASHBOARD_PATH}/media`}
        data-csrf={viewer.csrfToken}
        data-max-bytes={maxFileBytes}
        hidden
      >
        <div class="drop">
          <Icon name="upload" />
          <p>
            <label for="files">
              <span class="button primary">Choose files</span>
            </label>
            <input
              class="unseen"
              id="files"
              type="file"
              multiple
              accept={Object.values(FORMAT_CONTENT_TYPES).join(",")}
            />
            <span>or drop files and folders anywhere on this page</span>
          </p>
          <p class="hint">{`${Object.values(FORMAT_NAMES).join(", ")}, up to ${Math.floor(maxFileBytes / 1e6)} MB each`}</p>
        </div>
        <fieldset>
          <legend>What to redact</legend>
          <div class="choices">
            {served.map((category) => (
              <label>
                <input
                  type="checkbox"
                  name="categories[]"
                  value={category}
                  checked={PRESELECTED.has(category)}
                />
                {shownName(category)}
              </label>
            ))}
          </div>
        </fieldset>
        <fieldset>
          <legend>How</legend>
          <div class="choices">
            {REDACTION_METHODS.map((method, index) => (
              <label>
                <input type="radio" name="redaction_method" value={method} checked={index === 0} />
                {shownName(method)}
              </label>
            ))}
          </div>
        </fieldset>
        <p class="soft summary" role="status" data-summary />
        <ul class="uploads" />
      </form>
    </>
  );
}
