import type { Child } from "hono/jsx";
import type { Report } from "../../../records/report/report.schemas.ts";
import { momentInUtc, shownName, shownNumber, shownSize } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

/** Browsers cannot print pages with more masks well. The CSV has all of them. */
const MOST_SHOWN = 1_000;

/** The report of a file, for printing: what was done to it, by whom, and the proof. */
export function ReportPage({
  viewer,
  report,
  names,
}: {
  viewer: Viewer;
  report: Report;
  /** The names of the team's members by their IDs. */
  names: ReadonlyMap<string, string>;
}) {
  const { media, masks, left_open: leftOpen } = report;
  const path = `${DASHBOARD_PATH}/media/${media.id}`;
  const who = (by: string | null): string => nameOf(by, names);
  const actions = (
    <div class="actions">
      <button type="button" class="primary" data-print hidden>
        Print
      </button>
      <a class="button" href={`${path}/report/export?format=jws`} download>
        <Icon name="download" />
        Signed report
      </a>
      <a class="button" href={`${path}/report/export?format=csv`} download>
        <Icon name="download" />
        CSV
      </a>
    </div>
  );
  return (
    <Page
      viewer={viewer}
      title={`Report on ${media.filename}`}
      section="Media"
      actions={actions}
      script="report"
    >
      <article class="panel record">
        <p>
          {`Issued on ${momentOf(report.issued_at)} by ${report.service.name} ${report.service.version} for team ${viewer.team?.name ?? ""}. `}
          <a href={path}>Back to the file</a>
        </p>
        <Facts report={report} who={who} />
        <Section title="Versions">
          <Table
            columns={["Version", "Made", "By", "SHA-256 of the result"]}
            rows={report.versions.map((version, index) => ({
              head: `${index + 1}: ${version.kind}${version.current ? ", current" : ""}`,
              cells: [momentOf(version.created_at), who(version.by), <Hash value={version.output_sha256} />],
            }))}
          />
        </Section>
        <Section title="Models">
          {report.models.length === 0 ? (
            <p>The models that looked are not recorded.</p>
          ) : (
            <Table
              columns={["Model", "Version", "SHA-256"]}
              rows={report.models.map(({ id, version, sha256 }) => ({
                head: id,
                cells: [version, <Hash value={sha256} />],
              }))}
            />
          )}
        </Section>
        <Section title={`Masks (${countOf(masks.length, report)})`}>
          {masks.length === 0 ? (
            <p>Nothing is hidden.</p>
          ) : (
            <Table
              columns={["Mask", "What", "Where", "Decided by", "Reason"]}
              rows={masks.slice(0, MOST_SHOWN).map((mask) => ({
                head: <code>{mask.id}</code>,
                cells: [categoryOf(mask.category), placeOf(mask), who(mask.by), mask.reason ?? "none"],
              }))}
            />
          )}
          <Rest length={masks.length} />
        </Section>
        <Section title={`Left visible (${countOf(leftOpen.length, report)})`}>
          {leftOpen.length === 0 ? (
            <p>Nothing that was found is visible.</p>
          ) : (
            <Table
              columns={["Detection", "What", "Decided by", "Reason"]}
              rows={leftOpen.slice(0, MOST_SHOWN).map(({ id, category, by, reason }) => ({
                head: <code>{id}</code>,
                cells: [categoryOf(category), who(by), reason ?? "none"],
              }))}
            />
          )}
          <Rest length={leftOpen.length} />
        </Section>
        <Section title="Verify">
          <p>
            {
              "The signed report has the same content. Whoever has it and the file can check both without an account: "
            }
            <code>npx veil verify REPORT FILE</code>
            {". This page itself is not signed. "}
            <a href="/docs/report">How reports work</a>
          </p>
        </Section>
      </article>
    </Page>
  );
}

function Facts({ report, who }: { report: Report; who: (by: string | null) => string }) {
  const { media, request, review, sound } = report;
  const facts: readonly (readonly [string, Child])[] = [
    ["File", media.filename],
    ["Media item", <code>{media.id}</code>],
    ["Uploaded", momentOf(media.created_at)],
    ["Processed", media.processed_at === null ? "not known" : momentOf(media.processed_at)],
    ["Original", shownSize(media.source_bytes)],
    ["SHA-256 of the original", <Hash value={media.source_sha256} />],
    ["Redacted file", media.output_bytes === null ? "none" : shownSize(media.output_bytes)],
    ["SHA-256 of the redacted file", <Hash value={media.output_sha256} />],
    ["Asked for", request.categories.map(shownName).join(", ")],
    ["Method", shownName(request.redaction_method)],
    ["Sensitivity", request.sensitivity === null ? "not known" : shownName(request.sensitivity)],
    ...(request.min_confidence === null
      ? []
      : [["Thresholds", JSON.stringify(request.min_confidence)] as const]),
    ...(media.media_type === "image"
      ? []
      : [["Sound", sound.length === 0 ? "kept" : sound.map(spanOf).join(", ")] as const]),
    ["Second reading", VERIFICATION_TEXTS[report.verification.status]],
    [
      "Review",
      review === null
        ? "none"
        : `${shownName(review.decision)} by ${who(review.by)} on ${momentOf(review.at)}`,
    ],
  ];
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const SOUND_TEXTS = {
  speech: "speech",
  requested: "a requested range",
  whole_track: "the whole track",
} as const;
const VERIFICATION_TEXTS = { passed: "passed", findings: "has findings", not_done: "not done" } as const;

function Section({ title, children }: { title: string; children?: Child }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Rest({ length }: { length: number }) {
  if (length <= MOST_SHOWN) return null;
  return <p>{`${shownNumber(length - MOST_SHOWN)} more are in the signed report.`}</p>;
}

function Hash({ value }: { value: string | null }) {
  return value === null ? <>not known</> : <code>{value}</code>;
}

function countOf(length: number, { truncated }: Report): string {
  return `${truncated ? "at least " : ""}${shownNumber(length)}`;
}

function categoryOf(category: string | null): string {
  return category === null ? "A region" : shownName(category);
}

function nameOf(by: string | null, names: ReadonlyMap<string, string>): string {
  if (by === null) return "not known";
  if (by === "detector" || by === "request") return shownName(by);
  return names.get(by) ?? `a former member (${by})`;
}

function placeOf({ box, start_seconds: start, end_seconds: end }: Report["masks"][number]): string {
  if (start !== undefined && end !== undefined) return `${seconds(start)} to ${seconds(end)}`;
  if (box === undefined) return "";
  return `${percent(box.width)} × ${percent(box.height)} at ${percent(box.x)}, ${percent(box.y)}`;
}

function spanOf({ start_seconds: start, end_seconds: end, kind, sound }: Report["sound"][number]): string {
  const change = sound === "tone" ? "under a tone" : "silent";
  return `${SOUND_TEXTS[kind]} ${change} from ${seconds(start)} to ${seconds(end)}`;
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)}%`;
}

function momentOf(dateTime: string): string {
  return momentInUtc(Date.parse(dateTime));
}
