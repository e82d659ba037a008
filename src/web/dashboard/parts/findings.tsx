import type { VerificationResponse } from "../../../records/verification/verification.schemas.ts";
import { shownName } from "./format.tsx";

/** The anchor of a finding in the editor. */
function anchorOf(index: number): string {
  return `finding-${index + 1}`;
}

/** The findings of a second reading, as buttons that show each in the picture if the page has an editor. */
export function FindingList({
  findings,
  isShown = true,
}: {
  findings: readonly ShownFinding[];
  isShown?: boolean;
}) {
  if (findings.length === 0) return null;
  return (
    <div class="findings">
      <h2>Verification findings</h2>
      <p class="hint">
        {`What the second reading of the redacted file found.${isShown ? " Select one to see its place." : ""}`}
      </p>
      <ol>
        {findings.map((finding, index) => (
          <li>
            <button
              type="button"
              class="plain"
              id={anchorOf(index)}
              data-finding={JSON.stringify(finding.box)}
              data-from-seconds={finding.start_seconds}
              data-until-seconds={finding.end_seconds}
              aria-pressed="false"
              disabled={!isShown}
            >
              {shownFinding(finding)}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The times of a video's findings, as marks on its timeline that jump to each. */
export function FindingTimes({ findings }: { findings: readonly ShownFinding[] }) {
  return (
    <div class="finding-times">
      {findings.map((finding, index) => (
        <button
          type="button"
          data-finding-time={index}
          tabindex={-1}
          aria-label={shownFinding(finding)}
          title={shownFinding(finding)}
        />
      ))}
    </div>
  );
}

/** Marks of findings over a picture, in its pixels. */
export function FindingMarks({
  findings,
  size,
}: {
  findings: readonly ShownFinding[];
  size: { readonly width: number; readonly height: number };
}) {
  return (
    <g class="finding-marks" aria-hidden="true">
      {findings.map(({ box }) => (
        <rect
          x={box.x * size.width}
          y={box.y * size.height}
          width={box.width * size.width}
          height={box.height * size.height}
        />
      ))}
    </g>
  );
}

/** The result of a second reading. With an editor, each finding links to its place there. */
export function VerificationFact({
  verification,
  editPath,
}: {
  verification: VerificationResponse;
  /** The address of the editor. Undefined if the file cannot be edited. */
  editPath: string | undefined;
}) {
  const { findings } = verification;
  return (
    <>
      {shownVerification(verification)}
      {findings.length > 0 && (
        <ol class="findings">
          {findings.map((finding, index) => (
            <li>
              {editPath === undefined ? (
                shownFinding(finding)
              ) : (
                <a href={`${editPath}#${anchorOf(index)}`}>{shownFinding(finding)}</a>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

export type ShownFinding = VerificationResponse["findings"][number];

/** A finding of a second reading, in a few words; for videos with its time. */
function shownFinding(finding: ShownFinding): string {
  const { start_seconds: seconds } = finding;
  return seconds === undefined ? wordsOf(finding) : `${shownTime(seconds)} ${wordsOf(finding)}`;
}

/** Minutes and seconds, as the editor shows them. */
function shownTime(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  return `${minutes}:${String(rest).padStart(2, "0")}`;
}

function wordsOf({ kind, category, confidence }: ShownFinding): string {
  const name = shownName(category);
  switch (kind) {
    case "found_again":
      return `${name}, ${Math.round(confidence * 100)}%: still visible`;
    case "readable":
      return `${name}: can still be read`;
    case "unseen_gap":
      return `${name}: position computed, not seen`;
  }
}

/** The result of a second reading, in a few words. */
function shownVerification({ status, findings }: VerificationResponse): string {
  if (status === "not_done") return "Not done";
  if (status === "passed") return "Passed";
  return findings.length === 1 ? "1 finding" : `${findings.length} findings`;
}
