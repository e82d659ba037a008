import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

/** The end of a question before files are deleted. */
export function recordRemains(keepsNames: boolean): string {
  return `The deletion record remains. ${keptNamesText(keepsNames)}`;
}

function keptNamesText(keepsNames: boolean): string {
  return `File names will ${keepsNames ? "" : "not "}be kept in the record.`;
}

/** A note beside a delete button: whether names are kept, and where that is set. */
export function KeptNames({ viewer, keepsNames }: { viewer: Viewer; keepsNames: boolean }) {
  return (
    <p class="soft">
      {`${keptNamesText(keepsNames)} `}
      {viewer.team?.role === "owner" ? (
        <a href={`${DASHBOARD_PATH}/audit#names-title`}>Change this</a>
      ) : (
        "Owners of the team can change this."
      )}
    </p>
  );
}
