// The page where files are uploaded, and wherever else its form stands.
import { enhanceEach } from "./enhance.ts";
import { enhanceUpload } from "./upload-page.ts";

enhanceEach("form[data-upload]", HTMLFormElement, enhanceUpload);
