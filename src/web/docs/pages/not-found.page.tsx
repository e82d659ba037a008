import { DocsPage, type Site } from "./layout.tsx";

/** For visitors who follow an old link. The contents are beside it and the search is above. */
export function NotFoundPage({ site, path }: { site: Site; path: string }) {
  return (
    <DocsPage site={site} title="Not found" path={path}>
      <h1>Not found</h1>
      <p>There is no page at this address. Search above, or choose one of the contents.</p>
      <p>
        <a href="/docs/quick-start">Quick start</a> · <a href="/docs">API reference</a>
      </p>
    </DocsPage>
  );
}
