import type { TrailActor, TrailEntry } from "../../../records/audit-trail/audit-trail.repository.ts";
import { AUDIT_KINDS, type AuditKind } from "../../../records/audit/audit.table.ts";
import type { NameRules } from "../../../records/audit/name-rules.repository.ts";
import { CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { Moment } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/audit`;

/** Enough of a digest to distinguish files by eye. The export has the whole digest. */
const SHOWN_DIGITS = 16;

const KIND_TEXTS = {
  "media.uploaded": "Uploaded a file",
  "media.revised": "Corrected a file",
  "media.restored": "Restored a version",
  "media.retried": "Retried a file",
  "media.approved": "Approved a file",
  "media.review_requested": "Sent a file to review",
  "media.review_noted": "Noted something about a file in the review",
  "media.corrected": "Corrected a file in the review",
  "media.decision_undone": "Undid an approval",
  "media.downloaded": "Downloaded a result",
  "media.result_viewed": "Viewed a result",
  "media.original_viewed": "Viewed an original",
  "media.deleted": "Deleted a file",
  "key.created": "Created an API key",
  "key.revoked": "Revoked an API key",
  "endpoint.created": "Added a webhook endpoint",
  "endpoint.changed": "Changed a webhook endpoint",
  "endpoint.secret_rotated": "Rotated a webhook secret",
  "endpoint.disabled": "Disabled a webhook endpoint",
  "endpoint.enabled": "Enabled a webhook endpoint",
  "endpoint.deleted": "Deleted a webhook endpoint",
  "member.invited": "Invited someone",
  "member.invitation_revoked": "Revoked an invitation",
  "member.joined": "Joined the team",
  "member.role_changed": "Changed a role",
  "member.removed": "Removed a member",
  "team.renamed": "Renamed the team",
  "account.plan_changed": "Changed the plan",
  "account.retention_changed": "Changed the retention",
  "account.verification_changed": "Changed what is read again",
  "account.suspended": "Suspended the account",
  "account.resumed": "Resumed the account",
  "account.deletion_requested": "Requested the account's deletion",
  "account.deleted": "Deleted the account",
  "review_rules.changed": "Changed the review rules",
  "reasons.changed": "Changed the reasons",
  "name_rules.changed": "Changed how file names are kept",
  "trail.exported": "Exported the audit trail",
  "user.signed_in": "Signed in",
  "user.sign_in_refused": "Failed to sign in",
  "user.second_factor_reset": "Reset a second factor",
} as const satisfies Readonly<Record<AuditKind, string>>;

interface Query {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly kind?: AuditKind | undefined;
  readonly file?: string | undefined;
  readonly actor?: string | undefined;
  readonly before?: string | undefined;
}

/** The team's audit trail, latest first. */
export function AuditPage({
  viewer,
  query,
  actors,
  entries,
  hasMore,
  nameRules,
  faults,
  notice,
}: {
  viewer: Viewer;
  query: Query;
  actors: readonly TrailActor[];
  entries: readonly TrailEntry[];
  hasMore: boolean;
  nameRules: NameRules;
  faults?: FormFaults | undefined;
  notice?: string | undefined;
}) {
  const last = entries.at(-1);
  const actions = (
    <a class="button" href={addressOf(`${PATH}/export`, { ...query, before: undefined })} download>
      <Icon name="download" />
      Export as CSV
    </a>
  );
  return (
    <Page viewer={viewer} title="Audit trail" section="Audit trail" actions={actions} notice={notice}>
      <Names viewer={viewer} rules={nameRules} faults={faults} />
      <section class="panel" aria-label="Audit trail">
        <p class="soft">
          Who uploaded, revised, retried, reviewed, downloaded, viewed or deleted files, who changed keys,
          webhooks or the team, and who signed in. Entries are kept for a year and contain no pictures or
          detections. File names are stored as fingerprints; enter a name to find its entries. Repeated views
          or downloads of a file by the same person or key count as one entry per hour.
        </p>
        <Filters query={query} actors={actors} />
        {entries.length === 0 ? (
          <div class="empty">
            <p>No matches.</p>
          </div>
        ) : (
          <Table columns={["When", "Who", "What", "File"]} rows={grouped(entries).map(rowOf)} />
        )}
        {(hasMore || query.before !== undefined) && (
          <nav class="pages" aria-label="Pages">
            {query.before !== undefined && (
              <a class="button" href={addressOf(PATH, { ...query, before: undefined })}>
                Latest
              </a>
            )}
            {hasMore && last !== undefined && (
              <a class="button" rel="next" href={addressOf(PATH, { ...query, before: last.id })}>
                Older
              </a>
            )}
          </nav>
        )}
      </section>
    </Page>
  );
}

/** Whether names of deleted files are stored as plain text, and for how long. */
function Names({
  viewer,
  rules: { keepsNames, nameDays },
  faults,
}: {
  viewer: Viewer;
  rules: NameRules;
  faults: FormFaults | undefined;
}) {
  return (
    <section class="panel" aria-labelledby="names-title">
      <h2 id="names-title">Names of deleted files</h2>
      <p class="soft">
        When a file is deleted, the audit trail keeps a digest of its name (HMAC-SHA256 with a key of your
        team). You can also keep the plain name for a set time; it then appears here, in the export and on
        deletion records.
      </p>
      <form class="row-form" method="post" action={`${PATH}/names`}>
        <CsrfField viewer={viewer} />
        <FormFault faults={faults} />
        <label class="check">
          <input type="checkbox" name="keepsNames" checked={keepsNames} />
          Keep file names in plain text
        </label>
        <Field
          name="nameDays"
          label="For how many days"
          type="number"
          value={String(nameDays)}
          faults={faults}
        />
        <button class="plain">Save</button>
      </form>
    </section>
  );
}

function Filters({ query, actors }: { query: Query; actors: readonly TrailActor[] }) {
  return (
    <form class="filters trail" method="get" action={PATH} role="search">
      <div class="field">
        <label for="from">From (UTC)</label>
        <input id="from" name="from" type="date" value={query.from} />
      </div>
      <div class="field">
        <label for="until">Until (UTC)</label>
        <input id="until" name="until" type="date" value={query.until} />
      </div>
      <div class="field">
        <label for="kind">What</label>
        <select id="kind" name="kind">
          <option value="">Everything</option>
          {AUDIT_KINDS.map((kind) => (
            <option value={kind} selected={kind === query.kind}>
              {KIND_TEXTS[kind]}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="file">File name</label>
        <input id="file" name="file" value={query.file} maxlength={255} autocomplete="off" />
      </div>
      <div class="field">
        <label for="actor">Who</label>
        <select id="actor" name="actor">
          <option value="">Everybody</option>
          {actors.map(({ id, name }) => (
            <option value={id} selected={id === query.actor}>
              {name}
            </option>
          ))}
          {query.actor !== undefined && !actors.some(({ id }) => id === query.actor) && (
            <option value={query.actor} selected>
              {query.actor}
            </option>
          )}
        </select>
      </div>
      <button class="plain">
        <Icon name="search" />
        Show
      </button>
    </form>
  );
}

/** Files that one request returned, such as a ZIP, are one row. */
function grouped(entries: readonly TrailEntry[]): TrailEntry[][] {
  const groups: TrailEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const isSame =
      entry.kind === "media.downloaded" &&
      last?.[0]?.kind === entry.kind &&
      last[0].requestId === entry.requestId;
    if (isSame) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

function rowOf(entries: readonly TrailEntry[]) {
  const [entry] = entries;
  if (entry === undefined) return { head: "", cells: [] };
  const row = singleRow(entry);
  if (entries.length === 1) return row;
  return {
    head: row.head,
    cells: [
      row.cells[0],
      `Downloaded ${entries.length} results as a ZIP`,
      <details>
        <summary>{`${entries.length} files`}</summary>
        {entries.map((one) => singleRow(one).cells[2])}
      </details>,
    ],
  };
}

function singleRow(entry: TrailEntry) {
  const { kind, actorEmail, subjectId, subjectName, fileName, nameDigest, detail, noteText } = entry;
  return {
    head: <Moment ms={entry.createdAt} />,
    cells: [
      <div class="stacked">
        {shownActor(entry)}
        {actorEmail !== null && <small>{actorEmail}</small>}
      </div>,
      KIND_TEXTS[kind],
      <div class="stacked">
        <Subject kind={kind} id={subjectId} name={subjectName} />
        {fileName !== null && <small>{fileName}</small>}
        {fileName === null && nameDigest !== null && (
          <small title={nameDigest}>{`name fingerprint ${nameDigest.slice(0, SHOWN_DIGITS)}…`}</small>
        )}
        {detail !== null && <small>{noteText === null ? shownDetail(detail) : `“${noteText}”`}</small>}
      </div>,
    ],
  };
}

const DETAIL_TEXTS: Readonly<Record<string, string>> = {
  seen_in_full: "seen in full",
  not_seen_in_full: "without watching it to the end",
};

/** IDs and codes. Codes of what a reviewer saw are shown in words. */
function shownDetail(detail: string): string {
  return detail
    .split(" ")
    .map((part) => DETAIL_TEXTS[part] ?? part)
    .join(", ");
}

function shownActor({ actorKind, actorId, actorName }: TrailEntry): string {
  if (actorKind === "operator") return "Operator of this service";
  return actorKind === "api_key" ? `API key ${actorName ?? actorId}` : (actorName ?? actorId);
}

function Subject({ kind, id, name }: { kind: AuditKind; id: string; name: string | null }) {
  if (name !== null) return <>{name}</>;
  if (kind === "media.deleted") return <a href={`${DASHBOARD_PATH}/deletions?id=${id}`}>{id}</a>;
  const isKeptMedia = kind.startsWith("media.");
  return isKeptMedia ? <a href={`${DASHBOARD_PATH}/media/${id}`}>{id}</a> : <code>{id}</code>;
}

function addressOf(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query })) {
    if (typeof value === "string" && value !== "") parameters.set(name, value);
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
