export { openFile } from "./open-file.ts";
export { OutputExistsError, saveDownload, type SaveOptions, type Saved } from "./save-download.ts";
