import type { ReviewNote } from "../../../records/review/review-notes.repository.ts";
import { Moment } from "./format.tsx";

/** Reviewers' notes about a file. */
export function NoteList({ notes }: { notes: readonly ReviewNote[] }) {
  return (
    <ul class="notes" data-review-notes>
      {notes.map(({ text, byName, atMs }) => (
        <li>
          {text}
          <small>
            {`${byName}, `}
            <Moment ms={atMs} />
          </small>
        </li>
      ))}
    </ul>
  );
}
