import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { PageFiles } from "../../style/browser-files.ts";
import { PAGES } from "./files.generated.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { CsrfField } from "./forms.tsx";
import { Icon } from "./icons.tsx";
import { GUIDES, SECTIONS, type Guide, type Section, type SectionTitle } from "./sections.ts";

/** The scripts and styles of a page, in addition to those of every page. */
export type ScriptName = Exclude<keyof typeof PAGES, "all">;

function Document({
  title,
  script,
  children,
}: {
  title: string;
  script?: ScriptName | undefined;
  children?: Child;
}) {
  const files: readonly PageFiles[] = script === undefined ? [PAGES.all] : [PAGES.all, PAGES[script]];
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Veil`}</title>
        {files.flatMap(({ styles }) =>
          styles.map((name) => <link rel="stylesheet" href={`${DASHBOARD_PATH}/assets/${name}`} />),
        )}
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        {[...new Set(files.flatMap(({ modules }) => modules))].map((name) => (
          <link rel="modulepreload" href={`${DASHBOARD_PATH}/assets/${name}`} />
        ))}
        {files.flatMap(({ scripts }) =>
          scripts.map((name) => <script type="module" src={`${DASHBOARD_PATH}/assets/${name}`}></script>),
        )}
      </head>
      {children}
    </html>
  );
  return html`<!doctype html>${page}`;
}

/** A page for a signed-in user: navigation, team, content. */
export function Page({
  viewer,
  title,
  heading = title,
  section,
  actions,
  notice,
  script,
  children,
}: {
  viewer: Viewer;
  title: string;
  /** The heading, if it is more than the title. */
  heading?: Child;
  section?: SectionTitle | undefined;
  actions?: Child;
  notice?: Child;
  script?: ScriptName | undefined;
  children?: Child;
}) {
  return (
    <Document title={title} script={script}>
      <body class="shell">
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="bar">
          <Brand />
          <TeamMenu viewer={viewer} />
        </header>
        <nav class="sections" aria-label="Sections">
          <ul>
            {sectionsOf(viewer).map(({ path, title: name, icon }) => (
              <li>
                <a href={`${DASHBOARD_PATH}${path}`} aria-current={name === section ? "page" : undefined}>
                  <Icon name={icon} />
                  {name}
                </a>
              </li>
            ))}
            <li>
              <a href="/docs">
                <Icon name="docs" />
                API reference
              </a>
            </li>
          </ul>
        </nav>
        <main id="content" tabindex={-1}>
          <div class="title">
            <h1>{heading}</h1>
            {actions}
          </div>
          {notice !== undefined && <Notice>{notice}</Notice>}
          {children}
          {section !== undefined && <GuideLinks guides={GUIDES[section]} />}
        </main>
      </body>
    </Document>
  );
}

function GuideLinks({ guides }: { guides: readonly Guide[] }) {
  return (
    <nav class="guides" aria-label="Guides">
      <span>Read more:</span>
      {guides.map(([slug, title]) => (
        <a href={`/docs/${slug}`}>{title}</a>
      ))}
    </nav>
  );
}

function sectionsOf(viewer: Viewer): readonly Section[] {
  const isOwner = viewer.team?.role === "owner";
  return SECTIONS.filter(
    (section) =>
      (isOwner || !("isForOwners" in section)) && (viewer.isOperator || !("isForOperator" in section)),
  );
}

/** A page for a user who is not signed in: one card. */
export function CardPage({
  title,
  notice,
  children,
}: {
  title: string;
  notice?: string | undefined;
  children?: Child;
}) {
  return (
    <Document title={title}>
      <body class="alone">
        <header>
          <Brand />
        </header>
        <main id="content" class="card">
          <h1>{title}</h1>
          {notice !== undefined && <Notice>{notice}</Notice>}
          {children}
        </main>
      </body>
    </Document>
  );
}

/** A message about the action that has just been done. */
function Notice({ children }: { children?: Child }) {
  return (
    <p class="notice" role="status">
      {children}
    </p>
  );
}

function Brand() {
  return (
    <a class="brand" href={DASHBOARD_PATH}>
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <rect width="24" height="24" rx="6" />
        <path d="M6 8h12M6 12h12M6 16h7" />
      </svg>
      Veil
    </a>
  );
}

function TeamMenu({ viewer }: { viewer: Viewer }) {
  return (
    <details class="menu">
      <summary>
        <span>{viewer.team?.name ?? viewer.name}</span>
      </summary>
      <div class="menu-content">
        <p>
          {viewer.name}
          <small>{viewer.email}</small>
        </p>
        {viewer.teams.length > 1 && (
          <form method="post" action={`${DASHBOARD_PATH}/teams/active`}>
            <CsrfField viewer={viewer} />
            {viewer.teams.map(({ accountId, name }) => (
              <button
                class="quiet"
                name="accountId"
                value={accountId}
                aria-current={accountId === viewer.team?.accountId ? "true" : undefined}
              >
                {name}
              </button>
            ))}
          </form>
        )}
        <form method="post" action={`${DASHBOARD_PATH}/sign-out`}>
          <CsrfField viewer={viewer} />
          <button class="quiet">Sign out</button>
        </form>
      </div>
    </details>
  );
}
