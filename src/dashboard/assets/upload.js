// The page where files are uploaded, and wherever else its form stands.
import { enhanceEach } from "./enhance.js";
import { enhanceUpload } from "./upload-page.js";

enhanceEach("form[data-upload]", HTMLFormElement, enhanceUpload);
