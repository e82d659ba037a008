// The page where files are uploaded, and wherever else its form stands.
import { enhanceEach } from "./elements.ts";
import { enhanceUpload } from "./upload-page.ts";

enhanceEach("form[data-upload]", HTMLFormElement, enhanceUpload);
