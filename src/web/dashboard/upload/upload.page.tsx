import type { UploadOptions } from "./upload.data.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { Page } from "../parts/layout.tsx";
import { UploadForm } from "./upload-form.tsx";

/** The page where files and settings are chosen and every file is followed to its result. */
export function UploadPage({
  viewer,
  options,
  batchId,
}: {
  viewer: Viewer;
  options: UploadOptions;
  /** The upload to continue; empty for a new one. */
  batchId: string;
}) {
  const actions = (
    <a class="button" href={`${DASHBOARD_PATH}/batches`}>
      Earlier uploads
    </a>
  );
  return (
    <Page viewer={viewer} title="Upload" section="Upload" script="upload" actions={actions}>
      <UploadForm viewer={viewer} options={options} batchId={batchId}>
        {batchId !== "" && (
          <section aria-label="Missing files" data-missing hidden>
            <p class="banner" data-missing-text />
            <ul data-missing-names />
          </section>
        )}
      </UploadForm>
    </Page>
  );
}
