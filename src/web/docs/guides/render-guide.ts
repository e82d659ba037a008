import { Marked, type Token, type Tokens } from "marked";
import { GUIDES, type Guide } from "./guides.ts";
import { addressOfPicture } from "./pictures.ts";

/** The service's address in the Markdown files of guides. */
const EXAMPLE_ORIGIN = "https://veil.example.com";

/** A part of a guide, from one heading to the next, as the search finds it. */
export interface GuideSection {
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  readonly text: string;
}

/** The sections of a guide. */
export function readSections(guide: Guide): readonly GuideSection[] {
  return sectionsOf(new Marked().lexer(guide.markdown));
}

/**
 * A guide as HTML. Links to files that are not pages of the site become plain text, so that no link is dead. Code contains the service's
 * own address, so that it works when pasted.
 */
export function renderGuide(guide: Guide, origin: string): string {
  const marked = new Marked();
  const tokens = marked.lexer(guide.markdown);
  const ids = sectionsOf(tokens)
    .map(({ id }) => id)
    .values();
  marked.use({
    renderer: {
      heading({ tokens: content, depth }) {
        const id = ids.next().value ?? "";
        return `<h${depth} id="${id}">${this.parser.parseInline(content)}</h${depth}>\n`;
      },
      link({ href, tokens: content }) {
        const text = this.parser.parseInline(content);
        const address = addressOf(href, guide);
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      // Other pictures of the repository are not served.
      image({ href, text }) {
        const address = addressOfPicture(fileOf(href, guide).pathname.slice(1));
        return address === undefined
          ? escapeHtml(text)
          : `<img src="${address}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) => {
        const code = escapeHtml(text.replaceAll(EXAMPLE_ORIGIN, origin));
        return `<pre tabindex="0"${lang ? ` data-language="${escapeHtml(lang)}"` : ""}><code>${code}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("");
        const head = row(token.header, `th`).replaceAll("<th>", `<th scope="col">`);
        return `<div class="scroll" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parser(tokens);
}

/** The site's address for a guide's link; undefined if the site does not show its target. */
function addressOf(href: string, guide: Guide): string | undefined {
  if (href.startsWith("#") || href.startsWith("https:")) return href;
  const { pathname, hash } = fileOf(href, guide);
  if (pathname === "/openapi.json") return "/openapi/v1.json";
  const target = GUIDES.find(({ file }) => `/${file}` === pathname);
  return target === undefined ? undefined : `/docs/${target.slug}${hash}`;
}

/** The path of a file that a guide links to, from the root of the repository. */
function fileOf(href: string, { file }: Guide): URL {
  return new URL(href, `file:///${file}`);
}

function sectionsOf(tokens: readonly Token[]): GuideSection[] {
  const sections: { id: string; title: string; depth: number; texts: string[] }[] = [];
  const times = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === "heading") {
      const title = plain(String(token["text"]));
      const slug = slugOf(title);
      const count = times.get(slug) ?? 0;
      times.set(slug, count + 1);
      const id = count === 0 ? slug : `${slug}-${count}`;
      sections.push({ id, title, depth: Number(token["depth"]), texts: [] });
    } else sections.at(-1)?.texts.push(plain(token.raw));
  }
  return sections.map(({ id, title, depth, texts }) => ({ id, title, depth, text: texts.join(" ") }));
}

/** The ID of a heading as code hosts generate it, so that links to sections work here too. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|]|-{3,}|:-+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
