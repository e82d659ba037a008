import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { CsrfField } from "./forms.tsx";

const FORM = "retry";

/** Where files are sent to be retried. */
export const RETRY_PATH = `${DASHBOARD_PATH}/media/selection/retry`;

/** The most files that are retried at once. Each retry makes several storage calls. */
export const MOST_RETRIED = 100;

/** The form that the retry buttons of a list belong to. */
export function RetryForm({
  viewer,
  batchId,
}: {
  viewer: Viewer;
  /** The upload whose page is shown again afterwards, if it is not the list of media. */
  batchId?: string;
}) {
  return (
    <form method="post" action={RETRY_PATH} id={FORM} hidden>
      <CsrfField viewer={viewer} />
      {batchId !== undefined && <input type="hidden" name="batch" value={batchId} />}
    </form>
  );
}

/** Retries one file of a list, which must have a `RetryForm`. */
export function RetryButton({ id, filename }: { id: string; filename: string }) {
  return (
    <button class="plain" form={FORM} name="id" value={id} aria-label={`Retry ${filename}`}>
      Retry
    </button>
  );
}
