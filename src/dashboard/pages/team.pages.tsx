import type { Invitation } from "../../teams/invitations.repository.ts";
import type { Member } from "../../teams/teams.repository.ts";
import { ROLES } from "../../teams/teams.table.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../dashboard.http.ts";
import { ActionButton, Copyable, CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { Moment, shownName } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";

const PATH = `${DASHBOARD_PATH}/team`;

export interface TeamPageData {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

export function TeamPage({
  viewer,
  data: { members, invitations },
  faults,
  notice,
  newLink,
}: {
  viewer: Viewer;
  data: TeamPageData;
  faults?: FormFaults | undefined;
  notice?: string | undefined;
  newLink?: { readonly link: string; readonly isMailed: boolean } | undefined;
}) {
  const isOwner = viewer.team?.role === "owner";
  const owners = members.filter(({ role }) => role === "owner").length;
  return (
    <Page viewer={viewer} title="Team" section="Team" notice={notice}>
      {newLink !== undefined && (
        <section class="panel">
          <p class="notice" role="status">
            {newLink.isMailed
              ? "The invitation is mailed. You can also pass its link on yourself; it is shown this once."
              : "Pass this link on to whoever you invited; it is shown this once and works for seven days."}
          </p>
          <Copyable label="Link of the invitation" value={newLink.link} />
        </section>
      )}
      <section class="panel" aria-labelledby="members">
        <h2 id="members">Members</h2>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Second factor</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <MemberRow
                viewer={viewer}
                member={member}
                canChange={isOwner}
                isLastOwner={member.role === "owner" && owners === 1}
              />
            ))}
          </tbody>
        </table>
      </section>
      {isOwner && (
        <section class="panel" aria-labelledby="invite">
          <h2 id="invite">Invite somebody</h2>
          <form class="row-form" method="post" action={`${PATH}/invitations`}>
            <CsrfField viewer={viewer} />
            <FormFault faults={faults} />
            <Field name="email" label="E-mail" type="email" autocomplete="off" faults={faults} />
            <div class="field">
              <label for="role">Role</label>
              <select id="role" name="role">
                {ROLES.toReversed().map((role) => (
                  <option value={role}>{shownName(role)}</option>
                ))}
              </select>
            </div>
            <button class="primary">Invite</button>
          </form>
          <p class="soft">
            Members upload, look at, download and delete media. Owners also make keys and webhooks and look
            after the team.
          </p>
          {invitations.length > 0 && <Invitations viewer={viewer} invitations={invitations} />}
        </section>
      )}
      {isOwner && (
        <section class="panel" aria-labelledby="name-title">
          <h2 id="name-title">Name of the team</h2>
          <form class="row-form" method="post" action={`${PATH}/name`}>
            <CsrfField viewer={viewer} />
            <Field name="name" label="Name" value={viewer.team?.name} maxlength={100} faults={faults} />
            <button class="plain">Rename</button>
          </form>
        </section>
      )}
    </Page>
  );
}

function MemberRow({
  viewer,
  member,
  canChange,
  isLastOwner,
}: {
  viewer: Viewer;
  member: Member;
  canChange: boolean;
  isLastOwner: boolean;
}) {
  const isSelf = member.userId === viewer.userId;
  const path = `${PATH}/members/${member.userId}`;
  return (
    <tr>
      <th scope="row">
        {member.name}
        {isSelf && " (you)"}
        <small>{member.email}</small>
      </th>
      <td data-label="Role">{shownName(member.role)}</td>
      <td data-label="Second factor">{member.hasSecondFactor ? "on" : "off"}</td>
      <td data-label="Since">
        <Moment ms={member.createdAt} />
      </td>
      <td class="actions">
        {isLastOwner && <span class="soft">the only owner</span>}
        {canChange && !isLastOwner && (
          <ActionButton
            viewer={viewer}
            action={`${path}/role`}
            fields={{ role: member.role === "owner" ? "member" : "owner" }}
          >
            {member.role === "owner" ? "Make member" : "Make owner"}
            <span class="unseen">{` of ${member.name}`}</span>
          </ActionButton>
        )}
        {(canChange || isSelf) && !isLastOwner && (
          <ActionButton
            viewer={viewer}
            action={`${path}/remove`}
            tone="danger"
            confirm={isSelf ? "Leave this team?" : `Remove ${member.name} from the team?`}
          >
            {isSelf ? "Leave" : "Remove"}
            <span class="unseen">{isSelf ? " the team" : ` ${member.name}`}</span>
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

function Invitations({ viewer, invitations }: { viewer: Viewer; invitations: readonly Invitation[] }) {
  return (
    <table class="list">
      <caption>Open invitations</caption>
      <thead>
        <tr>
          <th scope="col">E-mail</th>
          <th scope="col">Role</th>
          <th scope="col">Works until</th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {invitations.map(({ id, email, role, expiresAt }) => (
          <tr>
            <th scope="row">{email}</th>
            <td data-label="Role">{shownName(role)}</td>
            <td data-label="Works until">
              <Moment ms={expiresAt} />
            </td>
            <td class="actions">
              <ActionButton viewer={viewer} action={`${PATH}/invitations/${id}/revoke`} tone="danger">
                Revoke<span class="unseen">{` the invitation of ${email}`}</span>
              </ActionButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
