import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { GUIDE_GROUPS } from "../guides/guides.ts";
import { PAGES } from "./files.generated.ts";

/** The data that every documentation page needs. */
export interface Site {
  readonly hasDashboard: boolean;
  /** The operations that the navigation lists, by their group. */
  readonly groups: readonly { readonly name: string; readonly links: readonly Link[] }[];
}

interface Link {
  readonly address: string;
  readonly title: string;
  readonly method?: string;
}

/** A page of the documentation: bar with search, navigation, content. */
export function DocsPage({
  site,
  title,
  path,
  children,
}: {
  site: Site;
  title: string;
  path: string;
  children?: Child;
}) {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Veil docs`}</title>
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        {PAGES.all.styles.map((name) => (
          <link rel="stylesheet" href={`/docs/assets/${name}`} />
        ))}
        {PAGES.all.scripts.map((name) => (
          <script type="module" src={`/docs/assets/${name}`}></script>
        ))}
      </head>
      <body class="site">
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="bar">
          <a class="brand" href="/docs">
            Veil docs
          </a>
          <search>
            <label class="unseen" for="search">
              Search the docs
            </label>
            <input id="search" type="search" placeholder="Search ( / )" autocomplete="off" hidden />
            <ul id="results" hidden></ul>
            <p id="results-said" class="unseen" role="status"></p>
          </search>
          <a href="/docs/quick-start">Quick start</a>
          {site.hasDashboard && <a href="/dashboard">Dashboard</a>}
        </header>
        <details class="contents" open>
          <summary>Contents</summary>
          <nav aria-label="Contents">
            <Navigation site={site} path={path} />
          </nav>
        </details>
        <main id="content" tabindex={-1}>
          {site.hasDashboard && <KeyOffer />}
          {children}
        </main>
      </body>
    </html>
  );
  return html`<!doctype html>${page}`;
}

/** Shown by the page's script where examples set a key. */
function KeyOffer() {
  return (
    <p class="key-offer" data-docs-key hidden>
      <button type="button">Use a test key in the examples</button> <span role="status"></span>
    </p>
  );
}

function Navigation({ site, path }: { site: Site; path: string }) {
  const guides = GUIDE_GROUPS.map(({ name, guides: ofGroup }, index) => {
    const links = ofGroup.map(({ slug, title }): Link => ({ address: `/docs/${slug}`, title }));
    return { name, links, isOpen: index === 0 || links.some(({ address }) => address === path) };
  });
  const reference = site.groups.map((group) => ({
    ...group,
    isOpen: path === "/docs" || group.links.some(({ address }) => address === path),
  }));
  return (
    <>
      {[...guides, ...reference].map(({ name, links, isOpen }) => (
        <details open={isOpen}>
          <summary>{name}</summary>
          <ul>
            {links.map(({ address, title, method }) => (
              <li>
                <a href={address} aria-current={address === path ? "page" : undefined}>
                  {title}
                  {method !== undefined && <small>{method}</small>}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}
