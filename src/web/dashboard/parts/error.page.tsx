import type { VeilError } from "../../../ground/platform/errors.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { CardPage, Page } from "./layout.tsx";

const TITLES: Readonly<Record<string, string>> = {
  unauthorized: "Account suspended",
  not_found: "Not found",
  forbidden: "Not allowed",
  validation_failed: "Check your input",
  conflict: "Not possible right now",
  rate_limit_exceeded: "Too many attempts",
  quota_exceeded: "Quota used up",
};

/** The error's message, with the request ID for support. */
export function ErrorPage({
  error,
  requestId,
  viewer,
}: {
  error: VeilError;
  requestId: string;
  viewer: Viewer | undefined;
}) {
  const title = TITLES[error.code] ?? "Something went wrong";
  const content = (
    <div class="empty">
      <p>{error.message}</p>
      <p class="soft">
        Request <code>{requestId}</code>
      </p>
      {error.code !== "unauthorized" && (
        <p>
          <a class="button" href={DASHBOARD_PATH}>
            Go to the overview
          </a>
        </p>
      )}
    </div>
  );
  return viewer?.team === undefined ? (
    <CardPage title={title}>{content}</CardPage>
  ) : (
    <Page viewer={viewer} title={title}>
      <section class="panel">{content}</section>
    </Page>
  );
}
