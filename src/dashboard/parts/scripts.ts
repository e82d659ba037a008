import compare from "../assets/compare.js";
import conveniences from "../assets/conveniences.js";
import dashboard from "../assets/dashboard.js";
import droppedFiles from "../assets/dropped-files.js";
import editor from "../assets/editor.js";
import editorKeys from "../assets/editor-keys.js";
import editorList from "../assets/editor-list.js";
import editorPointer from "../assets/editor-pointer.js";
import editorRequest from "../assets/editor-request.js";
import editorSensitivity from "../assets/editor-sensitivity.js";
import editorShapes from "../assets/editor-shapes.js";
import editorState from "../assets/editor-state.js";
import editorView from "../assets/editor-view.js";
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
  "editor.js": editor,
  "editor-keys.js": editorKeys,
  "editor-list.js": editorList,
  "editor-pointer.js": editorPointer,
  "editor-request.js": editorRequest,
  "editor-sensitivity.js": editorSensitivity,
  "editor-shapes.js": editorShapes,
  "editor-state.js": editorState,
  "editor-view.js": editorView,
  "enhance.js": enhance,
  "refresh.js": refresh,
  "upload-form.js": uploadForm,
  "upload-queue.js": uploadQueue,
  "upload-request.js": uploadRequest,
  "upload-row.js": uploadRow,
} as const satisfies Readonly<Record<string, string>>;
