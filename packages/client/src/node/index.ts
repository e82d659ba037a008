export { openFile } from "./open-file.ts";
export { OutputExistsError, saveDownload, type SaveOptions } from "./save-download.ts";
