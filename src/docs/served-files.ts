import script from "./assets/docs.js";
import copyScript from "./assets/docs-copy.js";
import findScript from "./assets/docs-find.js";
import keyScript from "./assets/docs-key.js";
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

interface ServedFile {
  readonly type: string;
  /** The file as it is sent. Not made before it is asked for: that would hold up each start of the Worker. */
  text(): string;
}

/** The files that documentation pages load, by address. */
export const SERVED_FILES: ReadonlyMap<string, ServedFile> = new Map([
  ["/docs/style.css", { type: "text/css; charset=utf-8", text: () => tightenStyle(STYLE) }],
  ["/docs/assets/docs.js", asScript(script)],
  ["/docs/assets/docs-copy.js", asScript(copyScript)],
  ["/docs/assets/docs-find.js", asScript(findScript)],
  ["/docs/assets/docs-key.js", asScript(keyScript)],
  ["/docs/assets/docs-search.js", asScript(searchScript)],
  ["/docs/assets/docs-tabs.js", asScript(tabsScript)],
  ["/docs/assets/docs-try-it.js", asScript(tryItScript)],
]);

function asScript(code: string): ServedFile {
  return { type: "text/javascript; charset=utf-8", text: () => tightenScript(code) };
}
