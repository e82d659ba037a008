import { renderSVG } from "uqr";
import { raw } from "hono/html";
import type { SessionListing } from "../../../records/accounts/users.repository.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { ActionButton, Copyable, CsrfField, Field, FormFault, NewPasswordField } from "../parts/forms.tsx";
import { Moment } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";

const PATH = `${DASHBOARD_PATH}/security`;

/** Which form has errors. */
export type SecurityForm = "password" | "second-factor";

export function SecurityPage({
  viewer,
  sessions,
  hasPassword,
  fault,
  notice,
}: {
  viewer: Viewer;
  sessions: readonly SessionListing[];
  hasPassword: boolean;
  fault?: { readonly form: SecurityForm; readonly faults: FormFaults } | undefined;
  notice?: string | undefined;
}) {
  const faultsOf = (form: SecurityForm): FormFaults | undefined =>
    fault?.form === form ? fault.faults : undefined;
  return (
    <Page viewer={viewer} title="Security" section="Security" notice={notice}>
      {hasPassword ? (
        <>
          <SecondFactor viewer={viewer} faults={faultsOf("second-factor")} />
          <ChangePassword viewer={viewer} faults={faultsOf("password")} />
        </>
      ) : (
        <section class="panel">
          <h2>Password</h2>
          <p class="soft">
            You sign in without a password. <a href={`${DASHBOARD_PATH}/forgot-password`}>Set one</a> to use a
            second factor with it.
          </p>
        </section>
      )}
      <section class="panel" aria-labelledby="browsers">
        <h2 id="browsers">Signed-in browsers</h2>
        <Table
          columns={["Browser", "Address", "Since"]}
          rows={sessions.map((session) => {
            const isThis = session.id === viewer.sessionId;
            return {
              head: `${browserName(session.userAgent)}${isThis ? " (this one)" : ""}`,
              cells: [session.ipAddress || "–", <Moment ms={session.createdAt.getTime()} />],
              actions: isThis ? undefined : (
                <ActionButton viewer={viewer} action={`${PATH}/sessions/${session.id}/end`} tone="danger">
                  Sign out<span class="unseen"> this browser</span>
                </ActionButton>
              ),
            };
          })}
        />
      </section>
    </Page>
  );
}

function SecondFactor({ viewer, faults }: { viewer: Viewer; faults: FormFaults | undefined }) {
  const isOn = viewer.hasSecondFactor;
  return (
    <section class="panel" aria-labelledby="second-factor">
      <h2 id="second-factor">Second factor</h2>
      <p class="soft">
        {isOn
          ? "Signing in asks for a code from your authenticator app."
          : "Signing in can also ask for a code from an authenticator app, so that a stolen password is not enough."}
      </p>
      <form class="row-form" method="post" action={`${PATH}/second-factor/${isOn ? "disable" : "enable"}`}>
        <CsrfField viewer={viewer} />
        <FormFault faults={faults} />
        <Field
          name="password"
          label="Your password"
          type="password"
          autocomplete="current-password"
          faults={faults}
        />
        <button class={isOn ? "danger" : "primary"}>{isOn ? "Turn off" : "Set up"}</button>
      </form>
    </section>
  );
}

function ChangePassword({ viewer, faults }: { viewer: Viewer; faults: FormFaults | undefined }) {
  return (
    <section class="panel" aria-labelledby="change-password">
      <h2 id="change-password">Change password</h2>
      <form class="narrow" method="post" action={`${PATH}/password`}>
        <CsrfField viewer={viewer} />
        <FormFault faults={faults} />
        <Field
          name="currentPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          faults={faults}
        />
        <NewPasswordField label="New password" faults={faults} />
        <button class="plain">Change</button>
      </form>
    </section>
  );
}

/** Shows the secret of an authenticator app and the backup codes, which are shown only here, and asks for the first code. */
export function SecondFactorSetUpPage({
  viewer,
  totpUri,
  backupCodes,
}: {
  viewer: Viewer;
  totpUri: string;
  backupCodes: readonly string[];
}) {
  return (
    <Page viewer={viewer} title="Set up the second factor" section="Security" script="security">
      <section class="panel">
        <p class="notice" role="status">
          This is shown only once.
        </p>
        <ol class="steps">
          <li>
            <h2>Scan this with your authenticator app</h2>
            <div class="qr" role="img" aria-label="QR code of the secret">
              {raw(renderSVG(totpUri, { border: 2 }))}
            </div>
            <Copyable label="Or enter the secret" value={new URL(totpUri).searchParams.get("secret") ?? ""} />
          </li>
          <li>
            <h2>Keep the backup codes</h2>
            <p class="soft">Use one when you do not have the app. Each works once.</p>
            <ul class="codes">
              {backupCodes.map((code) => (
                <li>
                  <code>{code}</code>
                </li>
              ))}
            </ul>
          </li>
          <li>
            <h2>Enter the code that the app shows</h2>
            <ConfirmForm viewer={viewer} faults={undefined} />
          </li>
        </ol>
      </section>
    </Page>
  );
}

/** Asks for the first code again after a wrong one. The secret and the backup codes are not shown again. */
export function SecondFactorConfirmPage({ viewer, faults }: { viewer: Viewer; faults: FormFaults }) {
  return (
    <Page viewer={viewer} title="Set up the second factor" section="Security" script="security">
      <section class="panel">
        <ConfirmForm viewer={viewer} faults={faults} />
        <p>
          <a href={PATH}>Start again</a>
        </p>
      </section>
    </Page>
  );
}

function ConfirmForm({ viewer, faults }: { viewer: Viewer; faults: FormFaults | undefined }) {
  return (
    <form class="row-form" method="post" action={`${PATH}/second-factor/confirm`}>
      <CsrfField viewer={viewer} />
      <FormFault faults={faults} />
      <Field
        name="code"
        label="Code"
        autocomplete="one-time-code"
        inputmode="numeric"
        maxlength={10}
        faults={faults}
      />
      <button class="primary">Turn on</button>
    </form>
  );
}

/** A browser's name, from its User-Agent: enough to recognize one's own. */
function browserName(userAgent: string | null): string {
  const text = userAgent ?? "";
  const browser = [
    ["Edge", /Edg\//],
    ["Firefox", /Firefox\//],
    ["Chrome", /Chrome\//],
    ["Safari", /Safari\//],
  ] as const;
  const system = [
    ["Android", /Android/],
    ["iOS", /iPhone|iPad/],
    ["Windows", /Windows/],
    ["macOS", /Mac OS/],
    ["Linux", /Linux/],
  ] as const;
  const name = browser.find(([, mark]) => mark.test(text))?.[0] ?? "Unknown browser";
  const os = system.find(([, mark]) => mark.test(text))?.[0];
  return os === undefined ? name : `${name} on ${os}`;
}
