import { raw } from "hono/html";
import type { Guide } from "../guides/guides.ts";
import { renderGuide } from "../guides/render-guide.ts";
import { DocsPage, type Site } from "./layout.tsx";

/** A guide of the repository as a page of the site. */
export function GuidePage({ site, guide }: { site: Site; guide: Guide }) {
  return (
    <DocsPage site={site} title={guide.title} path={`/docs/${guide.slug}`}>
      <article class="guide">{raw(renderGuide(guide))}</article>
    </DocsPage>
  );
}
