import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import type { System } from "./system.data.ts";
import { Moment, momentInUtc, shownDuration, shownName, shownNumber, shownSize } from "../parts/format.tsx";
import { ActionButton } from "../parts/forms.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";

const REDRIVE_PATH = `${DASHBOARD_PATH}/system/dead-letters/redrive`;

/** The state of the service over all accounts. */
export function SystemPage({
  viewer,
  system,
  notice,
}: {
  viewer: Viewer;
  system: System;
  notice: string | undefined;
}) {
  return (
    <Page viewer={viewer} title="System" section="System" notice={notice}>
      <Queues system={system} />
      <Health system={system} />
      <Failures system={system} />
      <FailingEndpoints system={system} />
      <DeadLetters viewer={viewer} system={system} />
      <Upkeep system={system} />
      <Models system={system} />
    </Page>
  );
}

function Queues({ system: { queues, steps } }: { system: System }) {
  return (
    <section
      class="panel"
      id="queues"
      aria-labelledby="queues-title"
      data-part
      data-live
      data-version={JSON.stringify([queues, steps])}
    >
      <div class="panel-title">
        <h2 id="queues-title">Queues</h2>
        <p class="soft">All accounts, now</p>
      </div>
      <Table
        columns={["Queue", "Waiting", "Running", "Longest wait"]}
        rows={queues.map(({ queue, waiting, running, oldestWaitMs }) => ({
          head: shownName(queue),
          cells: [
            shownNumber(waiting),
            shownNumber(running),
            oldestWaitMs === null ? "–" : shownDuration(oldestWaitMs),
          ],
        }))}
      />
      {steps.length > 0 && (
        <Table
          caption="Remaining video steps"
          columns={["Step", "Ready", "Running"]}
          rows={steps.map(({ kind, ready, running }) => ({
            head: shownName(kind),
            cells: [shownNumber(ready), shownNumber(running)],
          }))}
        />
      )}
    </section>
  );
}

function Health({ system: { detector, reconciliation, mediaCount, deletedSince } }: { system: System }) {
  return (
    <section
      class="panel"
      id="health"
      aria-labelledby="health-title"
      data-part
      data-live
      data-version={JSON.stringify([detector, reconciliation, mediaCount, deletedSince])}
    >
      <h2 id="health-title">Inference and storage</h2>
      <Table
        columns={["What", "State"]}
        rows={[
          { head: "Inference service", cells: [<DetectorState detector={detector} />] },
          { head: "Media", cells: [`${shownNumber(mediaCount)} in all accounts`] },
          {
            head: "Stored files",
            cells: [
              reconciliation === undefined ? (
                "not measured yet; that happens at night"
              ) : (
                <span>
                  {`${shownSize(reconciliation.bytesChecked)} in ${shownNumber(reconciliation.objectsChecked)} files on `}
                  <Moment ms={reconciliation.finishedAt} />
                  {deletedSince > 0 && `; media deleted since: ${shownNumber(deletedSince)}`}
                </span>
              ),
            ],
          },
        ]}
      />
    </section>
  );
}

function DetectorState({ detector }: { detector: System["detector"] }) {
  if (detector.state === "not_asked") return <>a Hugging Face endpoint, which has no health check</>;
  return (
    <span class={detector.state === "ok" ? undefined : "fault"}>
      {detector.state === "ok"
        ? `answers in ${shownDuration(detector.durationMs)}, checked `
        : `does not answer. ${detector.fault ?? ""} Files wait until it does. Last checked `}
      <Moment ms={detector.askedAtMs} />
    </span>
  );
}

function Failures({ system: { failures } }: { system: System }) {
  return (
    <section
      class="panel"
      id="failures"
      aria-labelledby="failures-title"
      data-part
      data-version={JSON.stringify(failures)}
    >
      <div class="panel-title">
        <h2 id="failures-title">Failures</h2>
        <a href="/docs/errors">What the codes mean</a>
      </div>
      {failures.length === 0 ? (
        <p class="soft">No file has failed in the last 24 hours.</p>
      ) : (
        <Table
          columns={["Code", "Last hour", "Last 24 hours"]}
          rows={failures.map(({ code, lastHour, lastDay }) => ({
            head: <code>{code}</code>,
            cells: [shownNumber(lastHour), shownNumber(lastDay)],
          }))}
        />
      )}
    </section>
  );
}

const DISABLED_TEXTS: Readonly<Record<string, string>> = {
  gone: "off: it answered 410",
  failing: "off: it failed for five days",
};

function FailingEndpoints({ system: { failingEndpoints } }: { system: System }) {
  return (
    <section
      class="panel"
      id="failing-endpoints"
      aria-labelledby="failing-endpoints-title"
      data-part
      data-live
      data-version={JSON.stringify(failingEndpoints)}
    >
      <h2 id="failing-endpoints-title">Failing webhook endpoints</h2>
      {failingEndpoints.length === 0 ? (
        <p class="soft">None.</p>
      ) : (
        <Table
          columns={["Host", "Account", "Failing since", "Failed attempts", "State"]}
          rows={failingEndpoints.map((endpoint) => ({
            head: (
              <div class="stacked">
                <span>{endpoint.host}</span>
                <small>{endpoint.endpointId}</small>
              </div>
            ),
            cells: [
              <div class="stacked">
                <span>{endpoint.accountName}</span>
                <small>{`${endpoint.accountId}${endpoint.isAccountDeleting ? ", being deleted" : ""}`}</small>
              </div>,
              endpoint.failingSince === null ? "–" : momentInUtc(endpoint.failingSince),
              shownNumber(endpoint.failedAttempts),
              endpoint.disabledAt === null
                ? "on, repeats failed deliveries"
                : `${DISABLED_TEXTS[endpoint.disabledReason ?? ""] ?? "off"}, ${momentInUtc(endpoint.disabledAt)}`,
            ],
          }))}
        />
      )}
    </section>
  );
}

function DeadLetters({ viewer, system: { deadLetters } }: { viewer: Viewer; system: System }) {
  const open = deadLetters.filter(({ redrivenAt }) => redrivenAt === null);
  return (
    <section
      class="panel"
      id="dead-letters"
      aria-labelledby="dead-letters-title"
      data-part
      data-version={JSON.stringify(deadLetters)}
    >
      <div class="panel-title">
        <h2 id="dead-letters-title">Dead letters</h2>
        {open.length > 1 && (
          <ActionButton viewer={viewer} action={REDRIVE_PATH} fields={{ message: "all" }}>
            Send all again
          </ActionButton>
        )}
      </div>
      <p class="soft">
        A queue gave up on these messages. It is safe to send them again, which happens within a minute.
      </p>
      {deadLetters.length > 0 && (
        <Table
          columns={["Recorded", "Queue", "Reason", "Media", "Sent again"]}
          rows={deadLetters.map((letter) => ({
            head: <Moment ms={letter.recordedAt} />,
            cells: [
              shownName(letter.queue),
              shownName(letter.reason),
              letter.mediaId === null ? (
                "–"
              ) : (
                <div class="stacked">
                  <code>{letter.mediaId}</code>
                  <small>{letter.mediaStatus ?? "deleted"}</small>
                </div>
              ),
              <SentAgain letter={letter} />,
            ],
            actions: (
              <ActionButton viewer={viewer} action={REDRIVE_PATH} fields={{ message: letter.messageId }}>
                Send again
              </ActionButton>
            ),
          }))}
        />
      )}
      {deadLetters.length === 0 && <p>None.</p>}
    </section>
  );
}

function SentAgain({ letter }: { letter: System["deadLetters"][number] }) {
  if (letter.redrivenAt !== null) return <Moment ms={letter.redrivenAt} />;
  return <>{letter.redriveRequestedAt === null ? "no" : "with the next sweep"}</>;
}

function Upkeep({ system: { sweep, isLocal, reconciliation, versions } }: { system: System }) {
  const misfits =
    reconciliation === undefined
      ? 0
      : reconciliation.objectsWithoutRecord + reconciliation.recordsWithoutObject;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Veil", versions.app],
    ["Node.js", versions.node],
    ["Schema", versions.migration],
  ];
  return (
    <section
      class="panel"
      id="upkeep"
      aria-labelledby="upkeep-title"
      data-part
      data-version={JSON.stringify([sweep, reconciliation, versions])}
    >
      <h2 id="upkeep-title">Upkeep and versions</h2>
      <Table
        columns={["What", "State"]}
        rows={[
          {
            head: "Last sweep",
            cells: [
              sweep === undefined ? (
                isLocal ? (
                  "none since startup"
                ) : (
                  "see the log event sweep"
                )
              ) : (
                <span>
                  <Moment ms={sweep.endedAtMs} />
                  {`, took ${shownDuration(sweep.durationMs)}`}
                </span>
              ),
            ],
          },
          {
            head: "Stored files compared with records",
            cells: [
              reconciliation === undefined ? (
                "not compared yet; that happens at night"
              ) : (
                <span>
                  <Moment ms={reconciliation.finishedAt} />
                  {`, ${shownNumber(reconciliation.objectsChecked)} files, ${misfits === 0 ? "all as recorded" : `${shownNumber(misfits)} not as recorded`}`}
                </span>
              ),
            ],
          },
          ...rows.flatMap(([name, version]) =>
            version === undefined ? [] : [{ head: name, cells: [<code>{version}</code>] }],
          ),
        ]}
      />
    </section>
  );
}

function Models({ system: { models, thresholds } }: { system: System }) {
  return (
    <section
      class="panel"
      id="models"
      aria-labelledby="models-title"
      data-part
      data-version={JSON.stringify([models, thresholds])}
    >
      <div class="panel-title">
        <h2 id="models-title">Models</h2>
        {thresholds !== undefined && (
          <p class="soft">
            Thresholds <code>{thresholds}</code>
          </p>
        )}
      </div>
      {models === undefined ? (
        <p class="soft">The inference service does not say which models it serves. Is it running?</p>
      ) : (
        <Table
          columns={["Model", "Version", "Runs on", "SHA-256", "Finds"]}
          rows={models.map(({ id, version, device, sha256, categories }) => ({
            head: id,
            cells: [
              version,
              device,
              <code title={sha256}>{sha256.slice(0, 8)}</code>,
              categories.map(shownName).join(", "),
            ],
          }))}
        />
      )}
    </section>
  );
}
