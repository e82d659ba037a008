import type { Child } from "hono/jsx";
import { PASSWORD_CHARACTERS } from "../../../records/accounts/auth.ts";
import { CSRF_FIELD } from "../request/csrf.ts";
import type { FormFaults, Viewer } from "../request/dashboard.http.ts";

/** The token that binds a form to its session. */
export function CsrfField({ viewer }: { viewer: Viewer }) {
  return <input type="hidden" name={CSRF_FIELD} value={viewer.csrfToken} />;
}

/** A labeled field with its hint and, after a failed submission, its error. */
export function Field({
  name,
  label,
  type = "text",
  value,
  hint,
  faults = {},
  autocomplete,
  inputmode,
  minlength,
  maxlength,
  isOptional = false,
}: {
  name: string;
  label: string;
  type?: "text" | "email" | "number" | "password" | "url";
  value?: string | undefined;
  hint?: string;
  faults?: FormFaults | undefined;
  autocomplete?: string;
  inputmode?: "numeric";
  minlength?: number;
  maxlength?: number;
  isOptional?: boolean;
}) {
  const fault = faults[name];
  const about = [
    hint === undefined ? [] : [`${name}-hint`],
    fault === undefined ? [] : [`${name}-fault`],
  ].flat();
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        value={type === "password" ? undefined : value}
        autocomplete={autocomplete}
        inputmode={inputmode}
        minlength={minlength}
        maxlength={maxlength}
        required={!isOptional}
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={about.length === 0 ? undefined : about.join(" ")}
      />
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** The address that a user signs in with. */
export function EmailField({
  value,
  faults,
}: {
  value?: string | undefined;
  faults?: FormFaults | undefined;
}) {
  return (
    <Field name="email" label="Email" type="email" value={value} autocomplete="username" faults={faults} />
  );
}

/** A field for a new password. The browser checks its length limits too. */
export function NewPasswordField({ label, faults }: { label: string; faults?: FormFaults | undefined }) {
  const { min, max } = PASSWORD_CHARACTERS;
  return (
    <Field
      name="newPassword"
      label={label}
      type="password"
      autocomplete="new-password"
      hint={`At least ${min} characters. A few unrelated words make a good one.`}
      minlength={min}
      maxlength={max}
      faults={faults}
    />
  );
}

/** The errors of a form as a whole. */
export function FormFault({ faults }: { faults?: FormFaults | undefined }) {
  const fault = faults?.["form"];
  return fault === undefined ? null : (
    <p class="fault banner" role="alert">
      {fault}
    </p>
  );
}

/** A form with one button. With scripts, it asks the question `confirm` before it is sent. */
export function ActionButton({
  viewer,
  action,
  fields = {},
  confirm,
  tone = "plain",
  children,
}: {
  viewer: Viewer;
  action: string;
  fields?: Readonly<Record<string, string>>;
  confirm?: string;
  tone?: "plain" | "danger" | "primary";
  children?: Child;
}) {
  return (
    <form class="inline" method="post" action={action} data-confirm={confirm}>
      <CsrfField viewer={viewer} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class={tone}>{children}</button>
    </form>
  );
}

/** A secret or a link that is shown only once, with a button that copies it. */
export function Copyable({ label, value }: { label: string; value: string }) {
  return (
    <div class="copyable">
      <label for="copyable">{label}</label>
      <div>
        <input id="copyable" readonly value={value} autocomplete="off" spellcheck={false} />
        <button type="button" class="plain" data-copy="copyable" hidden>
          Copy
        </button>
      </div>
    </div>
  );
}

/** Code with a button that copies it. A page may have only one. */
export function CopyableCode({ value }: { value: string }) {
  return (
    <>
      <pre>
        <code id="copyable-code">{value}</code>
      </pre>
      <p>
        <button type="button" class="plain" data-copy="copyable-code" hidden>
          Copy
        </button>
      </p>
    </>
  );
}
