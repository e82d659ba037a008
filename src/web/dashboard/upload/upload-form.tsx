import type { Child } from "hono/jsx";
import { UPLOAD_CONTENT_TYPES } from "../../../ground/vocabulary/media-values.ts";
import type { UploadOptions } from "./upload.data.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { shownSize } from "../parts/format.tsx";
import { CsrfField } from "../parts/forms.tsx";
import { Icon } from "../parts/icons.tsx";
import { UploadSettings } from "./upload-settings.tsx";

const MEDIA_PATH = `${DASHBOARD_PATH}/media`;
const ZIP_FORM = "upload-zip";

const PHOTO_NAMES = ["JPEG", "PNG", "WebP", "HEIC", "AVIF", "GIF", "TIFF", "BMP"];
const VIDEO_NAMES = ["MP4", "QuickTime", "WebM", "MKV", "AVI"];

/** The types and extensions of Matroska and AVI for file dialogs: systems know different types, or only the extensions. */
const OTHER_VIDEOS = [
  "video/matroska",
  "video/x-matroska",
  ".mkv",
  "video/vnd.avi",
  "video/x-msvideo",
  ".avi",
];

/** The upload form: files, settings, and the progress of each file. It works only with the page's script. */
export function UploadForm({
  viewer,
  options,
  batchId,
  children,
}: {
  viewer: Viewer;
  options: UploadOptions;
  /** The upload to continue; empty for a new one; undefined if the page keeps its address. */
  batchId?: string | undefined;
  /** The text above the drop area. */
  children?: Child;
}) {
  return (
    <>
      <p class="panel soft" data-without-script>
        Uploading here needs JavaScript. The API does not.
      </p>
      <form
        class="upload"
        data-upload={MEDIA_PATH}
        data-progress={`${DASHBOARD_PATH}/upload/progress`}
        data-csrf={viewer.csrfToken}
        data-batch={batchId}
        data-resumable={`${DASHBOARD_PATH}/upload/resumable`}
        data-max-bytes={options.maxPhotoBytes}
        data-max-video-bytes={options.maxVideoBytes}
        autocomplete="off"
        hidden
      >
        <p class="unseen" role="status" data-said />
        <Work />
        <section class="panel" aria-label="Choose files">
          {children}
          <DropZone options={options} />
          <ul class="upload-notes" data-notes hidden />
          <div data-refused />
          <div class="staging" data-staging hidden>
            <UploadSettings options={options} />
            <div class="staged-files">
              <div class="panel-title">
                <h2 tabindex={-1} data-staged-title />
                <button type="button" class="plain" data-clear>
                  Remove all
                </button>
              </div>
              <ul class="uploads" data-staged aria-label="Chosen files" />
            </div>
            <div class="upload-go" data-begin>
              <p class="fault" role="alert" data-settings-fault hidden />
              <button class="primary" data-go />
              <p class="hint" data-frozen />
            </div>
          </div>
        </section>
        <RowTemplate />
      </form>
      <form method="post" action={`${MEDIA_PATH}/selection/download`} id={ZIP_FORM} hidden>
        <CsrfField viewer={viewer} />
        <span data-zip-ids />
      </form>
    </>
  );
}

/** A link to the upload page. */
export function UploadLink() {
  return (
    <a class="button primary" href={`${DASHBOARD_PATH}/upload`}>
      <Icon name="upload" />
      Upload
    </a>
  );
}

/** The files that are being sent or processed. */
function Work() {
  return (
    <section class="panel" data-work hidden aria-labelledby="upload-work">
      <div class="panel-title">
        <h2 id="upload-work" tabindex={-1} data-work-title />
        <div class="actions">
          <button type="button" data-retry-all hidden>
            Try failed files again
          </button>
          <button type="button" data-cancel-all>
            Cancel
          </button>
        </div>
      </div>
      <progress max={1} value={0} aria-labelledby="upload-work" data-total />
      <p class="upload-figures" data-figures />
      <div class="banner upload-pause" data-pause hidden>
        <p data-pause-text />
        <button type="button" data-continue>
          Continue now
        </button>
      </div>
      <div class="actions" data-results hidden>
        <button class="primary" form={ZIP_FORM} data-zip>
          <Icon name="download" />
          <span>Download all as ZIP</span>
        </button>
        <a class="button primary" href={`${DASHBOARD_PATH}/review/next`} data-start-review hidden>
          <Icon name="eye" />
          Start reviewing
        </a>
        <button form={ZIP_FORM} formaction={`${MEDIA_PATH}/selection/review`} data-to-review hidden>
          <Icon name="eye" />
          Send to review
        </button>
        <a class="button" href={MEDIA_PATH}>
          <Icon name="media" />
          See them in Media
        </a>
      </div>
      <ul class="uploads" data-sent aria-label="Files in this upload" />
    </section>
  );
}

function DropZone({ options }: { options: UploadOptions }) {
  const types = [...Object.values(UPLOAD_CONTENT_TYPES), ...OTHER_VIDEOS];
  return (
    <div class="drop">
      <Icon name="upload" />
      <p>Drop photos, videos or folders anywhere on this page, or paste them.</p>
      <div class="choosers">
        <input class="unseen" id="files" type="file" multiple accept={types.join(",")} />
        <label class="button primary" for="files">
          Choose files
        </label>
        <input class="unseen" id="folder" type="file" multiple webkitdirectory />
        <label class="button" for="folder" data-folder>
          Choose a folder
        </label>
        <span class="camera">
          <input class="unseen" id="camera" type="file" accept="image/jpeg" capture="environment" />
          <label class="button" for="camera">
            Take a photo
          </label>
        </span>
        <span class="camera">
          <input
            class="unseen"
            id="recorder"
            type="file"
            accept={types.filter((type) => !type.startsWith("image/")).join(",")}
            capture="environment"
          />
          <label class="button" for="recorder">
            Record a video
          </label>
        </span>
      </div>
      <p class="hint">{`${shownFormats(PHOTO_NAMES, options.maxPhotoBytes)} · ${shownFormats(VIDEO_NAMES, options.maxVideoBytes)}`}</p>
    </div>
  );
}

function shownFormats(names: readonly string[], maxBytes: number): string {
  return `${names.join(", ")} up to ${shownSize(maxBytes)}`;
}

/** The row of one file from its choice to its result. */
function RowTemplate() {
  return (
    <template data-row>
      <li>
        <span class="thumbnail" data-picture>
          <span data-photo>
            <Icon name="media" />
          </span>
          <span data-video>
            <Icon name="video" />
          </span>
        </span>
        <span class="upload-name">
          <span data-name />
          <small data-about />
        </span>
        <span class="status" data-state />
        <progress max={1} value={0} data-bar hidden />
        <p class="fault" data-why hidden />
        <span class="upload-does">
          <a class="button" data-download hidden>
            <Icon name="download" />
            <span>Download</span>
          </a>
          <button type="button" data-again hidden>
            Try again
          </button>
          <button type="button" class="bare" data-stop>
            <Icon name="close" />
          </button>
        </span>
      </li>
    </template>
  );
}
