import type { MediaRow } from "../../media/media.repository.ts";
import { TRANSITIONS } from "../../media/media.states.ts";
import { DASHBOARD_PATH } from "../request/dashboard.http.ts";
import { Moment, Status, shownDuration, shownName, shownSize } from "./format.tsx";
import { Icon } from "./icons.tsx";

/** Media as rows that lead to their pages. While one of them will still change, the page's script keeps the list fresh. */
export function MediaList({ rows }: { rows: readonly MediaRow[] }) {
  return (
    <ul class="rows" id="media-rows" data-part data-live={rows.some(isUnderWay) ? "" : undefined}>
      {rows.map((row) => (
        <li id={`media-${row.id}`} data-version={row.status}>
          <a href={`${DASHBOARD_PATH}/media/${row.id}`}>
            <Icon name={row.mediaType === "video" ? "video" : "media"} />
            <span class="row-name">{row.filename}</span>
          </a>
          <span class="row-what">{row.categories.map(shownName).join(", ")}</span>
          <span class="row-size">{shownSize(row.fileSizeBytes)}</span>
          <span class="row-when">
            <Moment ms={row.createdAt} />
            {row.processedAt !== null && (
              <small>{`in ${shownDuration(row.processedAt - row.createdAt)}`}</small>
            )}
          </span>
          <Status status={row.status} />
        </li>
      ))}
    </ul>
  );
}

/** Whether a media item will still change. */
export function isUnderWay(row: MediaRow): boolean {
  return TRANSITIONS[row.status].length > 0;
}
