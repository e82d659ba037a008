export { openFile } from "./open-file.js";
export { OutputExistsError, saveDownload } from "./save-download.js";
