import { html, raw } from "hono/html";
import { PAGES } from "./pages/files.generated.ts";

/** The mark of the service, as browsers show it beside a page's title. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#0b5d5a"/><path d="M6 8h12M6 12h12M6 16h7" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

const FIRST_REQUEST = `curl -H "Authorization: Bearer $VEIL_API_KEY" \\
  -F file=@photo.jpg -F "categories[]=heads" \\`;

/** The page at the service's own address, with a short description and links. */
export function welcomePage({ baseUrl, hasDashboard }: { baseUrl: string; hasDashboard: boolean }) {
  const places: readonly (readonly [address: string, name: string, what: string])[] = [
    ...(hasDashboard
      ? [["/dashboard", "Dashboard", "Upload files, see results, create API keys."] as const]
      : []),
    ["/docs/quick-start", "Quick start", "Redact a first photo, in the shell or in Python."],
    ["/docs", "API reference", "Every operation, parameter and answer."],
    ["/openapi/v1.json", "OpenAPI document", "The same for programs: generate a client from it."],
    ["/healthz", "Health", "Whether the service reaches its database and storage."],
  ];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Veil</title>
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        ${PAGES.all.styles.map((name) => html`<link rel="stylesheet" href="/docs/assets/${name}" />`)}
      </head>
      <body>
        <main>
          <h1 class="mark">${raw(ICON)}Veil</h1>
          <p>
            Veil redacts photos and videos: it finds faces and heads, license plates, screens, documents and
            more, and makes them unreadable. Upload a file, and download the redacted one when it is ready.
          </p>
          <p class="calls">
            ${hasDashboard ? html`<a class="call" href="/dashboard">Open the dashboard</a>` : ""}
            <a href="/docs/quick-start">Redact a first photo by the API</a>
          </p>
          <figure>
            <img
              src="/docs/pictures/categories/heads.webp"
              width="648"
              height="240"
              alt="Before: two people with faces and hair. After: both heads are soft blocks of color, their jackets are as before"
            />
            <figcaption class="soft">
              Before and after. <a href="/docs/categories">All thirteen categories</a>
            </figcaption>
          </figure>
          <dl>
            ${places.map(
              ([address, name, what]) =>
                html`<dt><a href="${address}">${name}</a></dt>
                  <dd class="soft">${what}</dd>`,
            )}
          </dl>
          <p>The API is at <code>${baseUrl}</code>. A first request:</p>
          <pre tabindex="0"><code>${FIRST_REQUEST}
  ${baseUrl}/media/redact</code></pre>
        </main>
      </body>
    </html>`;
}
