import { raw } from "hono/html";
import type { Guide } from "../guides/guides.ts";
import { renderGuide } from "../guides/render-guide.ts";
import { DocsPage, type Site } from "./layout.tsx";

/** A guide of the repository as a page of the site at an origin. */
export function GuidePage({ site, guide, origin }: { site: Site; guide: Guide; origin: string }) {
  return (
    <DocsPage site={site} title={guide.title} path={`/docs/${guide.slug}`}>
      <article class="guide">{raw(renderGuide(guide, origin))}</article>
    </DocsPage>
  );
}
