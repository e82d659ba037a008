import type { UploadOptions } from "../data/upload-options.data.ts";
import type { Viewer } from "../request/dashboard.http.ts";
import { Page } from "../parts/layout.tsx";
import { UploadForm } from "../parts/upload-form.tsx";

/** Where files are chosen, settings made, and every file followed to its result. */
export function UploadPage({ viewer, options }: { viewer: Viewer; options: UploadOptions }) {
  return (
    <Page viewer={viewer} title="Upload" section="Upload" script="upload">
      <UploadForm viewer={viewer} options={options} />
    </Page>
  );
}
