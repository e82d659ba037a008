import compare from "../assets/compare.js";
import conveniences from "../assets/conveniences.js";
import dashboard from "../assets/dashboard.js";
import droppedFiles from "../assets/dropped-files.js";
import enhance from "../assets/enhance.js";
import refresh from "../assets/refresh.js";
import uploadForm from "../assets/upload-form.js";
import uploadQueue from "../assets/upload-queue.js";
import uploadRequest from "../assets/upload-request.js";
import uploadRow from "../assets/upload-row.js";

/** The script that a page starts, and the modules that it imports, as browsers get them. */
export const SCRIPTS = {
  "dashboard.js": dashboard,
  "compare.js": compare,
  "conveniences.js": conveniences,
  "dropped-files.js": droppedFiles,
  "enhance.js": enhance,
  "refresh.js": refresh,
  "upload-form.js": uploadForm,
  "upload-queue.js": uploadQueue,
  "upload-request.js": uploadRequest,
  "upload-row.js": uploadRow,
} as const satisfies Readonly<Record<string, string>>;
