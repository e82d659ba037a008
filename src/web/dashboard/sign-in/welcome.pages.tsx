import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { ActionButton, CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { shownName } from "../parts/format.tsx";
import { CardPage } from "../parts/layout.tsx";
import { onTo } from "./sign-in.pages.tsx";

/** For a user without a team: create one, if everybody may, or wait for an invitation. */
export function WelcomePage({
  viewer,
  canMake,
  faults,
}: {
  viewer: Viewer;
  canMake: boolean;
  faults?: FormFaults | undefined;
}) {
  return (
    <CardPage title={`Welcome, ${viewer.name}`}>
      {canMake ? (
        <form method="post" action={`${DASHBOARD_PATH}/teams`}>
          <p class="soft">Media, keys and quota belong to a team. Others can join it later.</p>
          <CsrfField viewer={viewer} />
          <FormFault faults={faults} />
          <Field name="name" label="Team name" maxlength={100} faults={faults} />
          <button class="primary wide">Create team</button>
        </form>
      ) : (
        <p>
          You are not on a team yet. Ask an owner to invite <strong>{viewer.email}</strong>, then open the
          link in the invitation.
        </p>
      )}
      <ActionButton viewer={viewer} action={`${DASHBOARD_PATH}/sign-out`}>
        Sign out
      </ActionButton>
    </CardPage>
  );
}

/** An invitation, for anyone who opens its link. */
export function InvitationPage({
  invitation,
  path,
  viewer,
  canSignUp,
}: {
  invitation: { teamName: string; email: string; role: string };
  path: string;
  viewer: Viewer | undefined;
  canSignUp: boolean;
}) {
  return (
    <CardPage title={`Join ${invitation.teamName}`}>
      <p>
        {`You have been invited to join the team ${invitation.teamName} as ${invitation.role === "owner" ? "an" : "a"} ${shownName(invitation.role).toLowerCase()}. The invitation is for `}
        <strong>{invitation.email}</strong>.
      </p>
      {viewer === undefined && (
        <p class="stack">
          {canSignUp && (
            <a class="button primary wide" href={onTo(`${DASHBOARD_PATH}/sign-up`, path)}>
              Sign up
            </a>
          )}
          <a class="button wide" href={onTo(`${DASHBOARD_PATH}/sign-in`, path)}>
            Sign in
          </a>
        </p>
      )}
      {viewer !== undefined && viewer.email === invitation.email && (
        <ActionButton viewer={viewer} action={path} tone="primary">
          Join the team
        </ActionButton>
      )}
      {viewer !== undefined && viewer.email !== invitation.email && (
        <>
          <p>
            You are signed in as <strong>{viewer.email}</strong>. Sign out, then open the link again.
          </p>
          <ActionButton viewer={viewer} action={`${DASHBOARD_PATH}/sign-out`}>
            Sign out
          </ActionButton>
        </>
      )}
    </CardPage>
  );
}
