import { DASHBOARD_PATH, type FormFaults } from "../request/dashboard.http.ts";
import { EmailField, Field, FormFault, NewPasswordField } from "../parts/forms.tsx";
import { CardPage } from "../parts/layout.tsx";

const PROVIDER_NAMES = { github: "GitHub", google: "Google" } as const;

interface FormState {
  readonly next: string;
  readonly faults?: FormFaults | undefined;
  readonly notice?: string | undefined;
  readonly email?: string | undefined;
}

/** An address that continues to `next` afterward. */
export function onTo(path: string, next: string): string {
  return next === DASHBOARD_PATH ? path : `${path}?next=${encodeURIComponent(next)}`;
}

export function SignInPage({
  next,
  faults,
  notice,
  email,
  providers,
  canSignUp,
}: FormState & { providers: readonly (keyof typeof PROVIDER_NAMES)[]; canSignUp: boolean }) {
  return (
    <CardPage title="Sign in" notice={notice}>
      <form method="post" action={onTo(`${DASHBOARD_PATH}/sign-in`, next)}>
        <FormFault faults={faults} />
        <EmailField value={email} faults={faults} />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          faults={faults}
        />
        <button class="primary wide">Sign in</button>
      </form>
      {providers.map((provider) => (
        <form method="post" action={onTo(`${DASHBOARD_PATH}/sign-in/${provider}`, next)}>
          <button class="plain wide">{`Continue with ${PROVIDER_NAMES[provider]}`}</button>
        </form>
      ))}
      <p class="links">
        <a href={`${DASHBOARD_PATH}/forgot-password`}>Forgot the password?</a>
        {canSignUp && <a href={onTo(`${DASHBOARD_PATH}/sign-up`, next)}>Sign up</a>}
      </p>
    </CardPage>
  );
}

export function SignUpPage({
  next,
  faults,
  email,
  name,
  isOpen,
}: FormState & { name?: string | undefined; isOpen: boolean }) {
  return (
    <CardPage title="Sign up">
      {!isOpen && <p class="soft">Use the email address that you were invited with.</p>}
      <form method="post" action={onTo(`${DASHBOARD_PATH}/sign-up`, next)}>
        <FormFault faults={faults} />
        <Field name="name" label="Name" value={name} autocomplete="name" faults={faults} maxlength={100} />
        <EmailField value={email} faults={faults} />
        <NewPasswordField label="Password" faults={faults} />
        <button class="primary wide">Sign up</button>
      </form>
      <p class="links">
        <a href={onTo(`${DASHBOARD_PATH}/sign-in`, next)}>Sign in instead</a>
      </p>
    </CardPage>
  );
}

/** Says that an email was sent. In local mode, shows its link instead. */
export function MailSentPage({
  title,
  text,
  link,
}: {
  title: string;
  text: string;
  link: string | undefined;
}) {
  return (
    <CardPage title={title}>
      {link === undefined ? (
        <p>{text}</p>
      ) : (
        <>
          <p>This installation sends no email. This is the link that the email would contain:</p>
          <p>
            <a class="button primary wide" href={link} data-mail-link>
              Open the link
            </a>
          </p>
        </>
      )}
      <p class="links">
        <a href={`${DASHBOARD_PATH}/sign-in`}>Back to sign-in</a>
      </p>
    </CardPage>
  );
}

export function ForgotPasswordPage({ faults, email }: Pick<FormState, "faults" | "email">) {
  return (
    <CardPage title="Forgot the password?">
      <p class="soft">We send a link that lets you choose a new one.</p>
      <form method="post" action={`${DASHBOARD_PATH}/forgot-password`}>
        <FormFault faults={faults} />
        <EmailField value={email} faults={faults} />
        <button class="primary wide">Send the link</button>
      </form>
      <p class="links">
        <a href={`${DASHBOARD_PATH}/sign-in`}>Back to sign-in</a>
      </p>
    </CardPage>
  );
}

export function ResetPasswordPage({ token, faults }: { token: string; faults?: FormFaults | undefined }) {
  return (
    <CardPage title="Choose a new password">
      <form method="post" action={`${DASHBOARD_PATH}/reset-password`}>
        <FormFault faults={faults} />
        <input type="hidden" name="token" value={token} />
        <NewPasswordField label="New password" faults={faults} />
        <button class="primary wide">Change password</button>
      </form>
    </CardPage>
  );
}

export function SecondFactorPage({ next, faults }: FormState) {
  return (
    <CardPage title="Second step">
      <form method="post" action={onTo(`${DASHBOARD_PATH}/second-factor`, next)}>
        <FormFault faults={faults} />
        <Field
          name="code"
          label="Code"
          autocomplete="one-time-code"
          hint="The six digits that your authenticator app shows, or one of your backup codes."
          maxlength={32}
          faults={faults}
        />
        <button class="primary wide">Sign in</button>
      </form>
      <p class="links">
        <a href={`${DASHBOARD_PATH}/sign-in`}>Start again</a>
      </p>
    </CardPage>
  );
}
