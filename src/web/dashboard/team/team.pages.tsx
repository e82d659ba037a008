import { VERIFIED_BY_DEFAULT } from "../../../records/masking/masking-options.ts";
import type { Invitation } from "../../../records/accounts/invitations.repository.ts";
import type { Member } from "../../../records/accounts/teams.repository.ts";
import { ROLES } from "../../../records/accounts/teams.table.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { ActionButton, Copyable, CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { Moment, shownName } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";

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
              ? "The invitation was emailed. You can also share its link yourself. It is shown only once."
              : "Share this link with the person you invited. It is shown only once and works for seven days."}
          </p>
          <Copyable label="Invitation link" value={newLink.link} />
        </section>
      )}
      <section class="panel" aria-labelledby="members">
        <h2 id="members">Members</h2>
        <Table
          columns={["Name", "Role", "Second factor", "Since"]}
          rows={members.map((member) => ({
            head: (
              <>
                {member.name}
                {member.userId === viewer.userId && " (you)"}
                <small>{member.email}</small>
              </>
            ),
            cells: [
              shownName(member.role),
              member.hasSecondFactor ? "on" : "off",
              <Moment ms={member.createdAt} />,
            ],
            actions: (
              <MemberActions
                viewer={viewer}
                member={member}
                isLastOwner={member.role === "owner" && owners === 1}
              />
            ),
          }))}
        />
      </section>
      {isOwner && (
        <section class="panel" aria-labelledby="invite">
          <h2 id="invite">Invite someone</h2>
          <form class="row-form" method="post" action={`${PATH}/invitations`}>
            <CsrfField viewer={viewer} />
            <FormFault faults={faults} />
            <Field name="email" label="Email" type="email" autocomplete="off" faults={faults} />
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
            Members can upload, view, download and delete media. Owners can also create keys and webhooks and
            manage the team.
          </p>
          {invitations.length > 0 && <Invitations viewer={viewer} invitations={invitations} />}
        </section>
      )}
      {isOwner && <SecondReading viewer={viewer} />}
      <section class="panel" aria-labelledby="reasons">
        <h2 id="reasons">Reasons</h2>
        <p>
          <a href={`${DASHBOARD_PATH}/reasons`}>Reasons for hiding something</a>, which masks can carry.
        </p>
      </section>
      {isOwner && (
        <section class="panel" aria-labelledby="name-title">
          <h2 id="name-title">Team name</h2>
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

/** Whether outputs are read again unless an upload says otherwise. */
function SecondReading({ viewer }: { viewer: Viewer }) {
  const { verifyPhotos, verifyVideos } = viewer.team ?? {};
  return (
    <section class="panel" aria-labelledby="verification-title">
      <h2 id="verification-title">Second reading</h2>
      <p class="soft">
        Veil reads redacted files again before they complete, and lists what it still finds. It applies to
        uploads from now on.
      </p>
      <form class="row-form" method="post" action={`${PATH}/verification`}>
        <CsrfField viewer={viewer} />
        <Checkbox name="photos" label="Photos" isOn={verifyPhotos ?? VERIFIED_BY_DEFAULT.image} />
        <Checkbox name="videos" label="Videos" isOn={verifyVideos ?? VERIFIED_BY_DEFAULT.video} />
        <button class="plain">Save</button>
      </form>
    </section>
  );
}

function Checkbox({ name, label, isOn }: { name: string; label: string; isOn: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={isOn} autocomplete="off" />
      {label}
    </label>
  );
}

function MemberActions({
  viewer,
  member,
  isLastOwner,
}: {
  viewer: Viewer;
  member: Member;
  isLastOwner: boolean;
}) {
  if (isLastOwner) return <span class="soft">the only owner</span>;
  const canChange = viewer.team?.role === "owner";
  const isSelf = member.userId === viewer.userId;
  const path = `${PATH}/members/${member.userId}`;
  return (
    <>
      {canChange && (
        <ActionButton
          viewer={viewer}
          action={`${path}/role`}
          fields={{ role: member.role === "owner" ? "member" : "owner" }}
        >
          {member.role === "owner" ? "Make member" : "Make owner"}
          <span class="unseen">{` of ${member.name}`}</span>
        </ActionButton>
      )}
      {(canChange || isSelf) && (
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
    </>
  );
}

function Invitations({ viewer, invitations }: { viewer: Viewer; invitations: readonly Invitation[] }) {
  return (
    <Table
      caption="Open invitations"
      columns={["Email", "Role", "Works until"]}
      rows={invitations.map(({ id, email, role, expiresAt }) => ({
        head: email,
        cells: [shownName(role), <Moment ms={expiresAt} />],
        actions: (
          <ActionButton viewer={viewer} action={`${PATH}/invitations/${id}/revoke`} tone="danger">
            Revoke<span class="unseen">{` the invitation of ${email}`}</span>
          </ActionButton>
        ),
      }))}
    />
  );
}
