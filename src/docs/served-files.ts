import script from "./assets/docs.js";
import searchScript from "./assets/docs-search.js";
import referenceStyle from "./assets/styles/reference.css";
import siteStyle from "./assets/styles/site.css";
import textStyle from "./assets/styles/text.css";
import colors from "../style/colors.css";
import unseen from "../style/unseen.css";
import { tightenScript, tightenStyle } from "../style/tighten.ts";
import tabsScript from "./assets/docs-tabs.js";
import tryItScript from "./assets/docs-try-it.js";

/** Later ones win over earlier ones. */
const STYLE = [colors, unseen, textStyle, siteStyle, referenceStyle].join("\n");
const JAVASCRIPT = "text/javascript; charset=utf-8";

/** What pages of the documentation load, by its address. */
export const SERVED_FILES: ReadonlyMap<string, { readonly text: string; readonly type: string }> = new Map([
  ["/docs/style.css", { text: tightenStyle(STYLE), type: "text/css; charset=utf-8" }],
  ["/docs/assets/docs.js", { text: tightenScript(script), type: JAVASCRIPT }],
  ["/docs/assets/docs-search.js", { text: tightenScript(searchScript), type: JAVASCRIPT }],
  ["/docs/assets/docs-tabs.js", { text: tightenScript(tabsScript), type: JAVASCRIPT }],
  ["/docs/assets/docs-try-it.js", { text: tightenScript(tryItScript), type: JAVASCRIPT }],
]);
