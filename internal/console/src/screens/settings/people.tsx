// People: who works at the dealership, what they can do, and where they are signed in.
import { api, type Role, type Session, type User, type UserPatch, type UserStatus } from "../../api.ts";
import type { FormState } from "../../form.tsx";
import { ago, date, dateTime } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList, useLoad } from "../../load.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { ChoiceChip } from "../../parts/chip.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Status, Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, setQuery, usePlace, withQuery } from "../../router.ts";
import { session } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { addDays, dayAt } from "../../times.ts";
import { browser, options, word } from "../../words.ts";
import { useLocations } from "../boats/shared.ts";
import { CheckList, split } from "../choices.tsx";
import { openForm, tokenHeader, verified, withToken } from "../dialogs.tsx";
import { deactivate } from "./leaving.tsx";
import { SettingsPage } from "./page.tsx";
import { abilities, grantsAdmin, isAdmin, roleName, useRoles } from "./roles.tsx";

/** The roles and the locations that people can have. Dialogs load them too, because they can open before the page has. */
interface Choices {
  roles: Role[];
  locations: Array<[string, string]>;
}

function useChoices(): Choices {
  return { roles: useRoles().data ?? [], locations: [...useLocations().values()].map((l) => [l.id, l.name]) };
}

export function PeopleSettings() {
  const { query } = usePlace();
  const status = (query.get("status") ?? undefined) as UserStatus | undefined;
  const users = useList(["users", status], (page) => api.dealership.listUsers({ ...page, ...(status && { status }) }), ["user"]);
  const choices = useChoices();
  const peek = query.get("peek") ?? undefined;
  useKeys({ c: invite });
  useActions([{ title: "Invite a person", icon: "plus", key: "C", run: invite }]);
  return (
    <SettingsPage
      path="people" actions={<Button kind="primary" icon="plus" onClick={invite}>Invite</Button>}
      peek={peek && <UserPeek key={peek} id={peek} choices={choices} />}
    >
      <div class="filters" role="group" aria-label="Filters">
        <ChoiceChip label="Status" value={status && word(status)} current={status} choices={options(["active", "invited", "deactivated"])}
          onChoose={(s) => setQuery({ status: s })} onClear={() => setQuery({ status: undefined })} />
      </div>
      <Table label="People" list={users} columns={columns(choices)} current={peek} onMove={(u) => setQuery({ peek: u.id })}
        empty={<NoRows filtered={!!status} text="No people yet." clear={() => setQuery({ status: undefined })} />} />
    </SettingsPage>
  );
}

function columns({ locations }: Choices): Array<Column<User>> {
  const names = new Map(locations);
  return [
    { title: "Name", wide: true, phone: "main", cell: (u) => <div class="person"><Avatar name={u.name} /><div class="t"><b><a href={withQuery({ peek: u.id })}>{u.name}</a></b><small>{u.email}</small></div></div> },
    { title: "Roles", phone: "bottom", cell: (u) => <span class="sub">{u.roles.map(roleName).join(", ") || "None"}</span> },
    { title: "Locations", cell: (u) => <span class="sub">{u.location_ids.map((id) => names.get(id) ?? id).join(", ") || "All"}</span> },
    { title: "Two-factor", cell: (u) => (u.mfa_factors.some((f) => f.active) ? <span class="sub">On</span> : <span class="muted">Off</span>) },
    { title: "Last seen", cell: (u) => <span class="sub">{u.last_seen_at ? ago(u.last_seen_at) : "Never"}</span> },
    { title: "Status", phone: "top", cell: (u) => <Status value={u.status} /> },
  ];
}

function UserPeek({ id, choices }: { id: string; choices: Choices }) {
  const user = useLoad(["user", id], () => api.dealership.getUser(id), [id, "user"]);
  const u = user.data;
  const admin = !!u?.roles.some((r) => isAdmin(choices.roles.find((role) => role.id === r.id)));
  return (
    <Peek label={u?.name ?? "Person"} code={u?.email ?? id} onClose={() => setQuery({ peek: undefined })} footer={u && <UserButtons user={u} admin={admin} />}>
      <Loaded load={user}>{(loaded) => <UserDetails user={loaded} admin={admin} choices={choices} />}</Loaded>
    </Peek>
  );
}

function UserButtons({ user, admin }: { user: User; admin: boolean }) {
  const self = user.id === session.user.id;
  return (
    <>
      <Button icon="edit" onClick={() => edit(user, admin)}>Edit</Button>
      <Button onClick={() => assignRoles(user, admin)}>Roles</Button>
      <Menu class="btn quiet square" label={`More actions for ${user.name}`} align="end" button={<Icon name="more" />} items={[
        user.status === "deactivated" && { title: "Reactivate", icon: "check", onClick: () => void change(user, admin, { status: "active" }, "The invitation was sent.").catch(toastError) },
        user.status !== "deactivated" && { title: user.status === "invited" ? "Send invitation again" : "Reset password", icon: "mail", onClick: () => void resetPassword(user).catch(toastError) },
        user.status !== "deactivated" && !self && { title: "Deactivate", icon: "blocked", onClick: () => deactivate(user, admin) },
      ]} />
    </>
  );
}

function UserDetails({ user, admin, choices }: { user: User; admin: boolean; choices: Choices }) {
  const names = new Map(choices.locations);
  const firstName = user.name.split(" ")[0];
  const today = () => dayAt(new Date(), session.dealership.timezone);
  const removeFactor = async (factor: User["mfa_factors"][number]) => {
    const question = { title: "Delete this two-factor method?", text: `If it is the last one, the password of ${user.name} is cleared, and they set up both again.`, action: "Delete method", danger: true };
    if (!(await confirm(question))) return;
    await verified({ operation: "deleteMfaFactor", object_id: user.id }, true, (token) => api.access.deleteMfaFactor(user.id, factor.id, tokenHeader(token)));
    changed("user", user.id);
    toast("Two-factor method deleted.");
  };
  return (
    <>
      <div class="person first"><Avatar name={user.name} /><h2>{user.name}</h2></div>
      <div class="row"><Status value={user.status} />{user.takes_leads && <Tag tone="blue">Takes leads</Tag>}</div>
      <Facts facts={[
        ["Email", user.email], ["New email, not confirmed", user.pending_email], ["Roles", user.roles.map(roleName).join(", ") || "None"],
        ["Locations", user.location_ids.map((id) => names.get(id) ?? id).join(", ") || "All"], ["Last seen", user.last_seen_at ? dateTime(user.last_seen_at) : "Never"],
        ["Added", date(user.created_at)], ["ID at the identity provider", user.sso_subject],
      ]} />
      <p class="links">
        <a class="link" href={href("developers/audit", { actor_id: user.id, day: today() })}>What did {firstName} do today?</a>
        <a class="link" href={href("developers/audit", { actor_id: user.id, day: addDays(today(), -1) })}>And yesterday?</a>
      </p>
      <h3>Two-factor methods</h3>
      {user.mfa_factors.length === 0 && <p class="sub">None.</p>}
      <ul class="link-rows">
        {user.mfa_factors.map((f) => (
          <li key={f.id}><span>{f.label ?? (f.kind === "totp" ? "Authenticator app" : "Passkey")}<small>{f.active ? "" : "Not verified yet"}</small></span><Button small onClick={() => void removeFactor(f).catch(toastError)}>Delete</Button></li>
        ))}
      </ul>
      <h3>Sessions</h3>
      <Sessions user={user} admin={admin} />
    </>
  );
}

function Sessions({ user, admin }: { user: User; admin: boolean }) {
  const sessions = useLoad(["sessions", user.id], () => api.access.listSessions({ user_id: user.id, limit: 50 }), ["sessions"]);
  const end = async (s: Session) => {
    if (!(await confirm({ title: "End this session?", text: `${user.name} is signed out there immediately.`, action: "End session", danger: true }))) return;
    await verified({ operation: "revokeSession", object_id: s.id }, admin && user.id !== session.user.id, (token) => api.access.revokeSession(s.id, tokenHeader(token)));
    changed("sessions");
    toast("Session ended.");
  };
  return (
    <Loaded load={sessions} rows={2}>
      {({ data }) => data.length === 0 ? <p class="sub">Not signed in.</p> : (
        <ul class="link-rows">
          {data.map((s) => (
            <li key={s.id}><span>{browser(s.user_agent)}<small>{s.ip ? s.ip + " · " : ""}{word(s.method)} · used {ago(s.last_seen_at)}</small></span><Button small onClick={() => void end(s).catch(toastError)}>End</Button></li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function RolesField({ form }: { form: FormState<any> }) {
  const { roles } = useChoices();
  return <CheckList form={form} name="role_ids" label="Roles" choices={roles.map((r) => [r.id, roleName(r), abilities(r).join(" ")])} />;
}

function LocationsField({ form }: { form: FormState<any> }) {
  const { locations } = useChoices();
  if (locations.length < 2) return null;
  return <CheckList form={form} name="location_ids" label="Locations" hint="Without any, the person works at all of them." choices={locations} />;
}

function invite(): void {
  void openForm({
    name: "new user", title: "Invite a person", submit: "Send invitation",
    values: { name: "", email: "", role_ids: "", location_ids: "" },
    save: async (v) => {
      const role_ids = split(v.role_ids);
      await verified({ operation: "provisionUser" }, await grantsAdmin(role_ids), (token) => api.dealership.provisionUser({ name: v.name, email: v.email, role_ids, location_ids: split(v.location_ids), ...withToken(token) }));
      changed("user");
      toast("The invitation was sent.");
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required />
        <TextField form={form} name="email" label="Email" type="email" required hint="The invitation is sent to this address." />
        <RolesField form={form} />
        <LocationsField form={form} />
      </>
    ),
  });
}

/** Sends a change of a user. */
async function change(user: User, admin: boolean, patch: UserPatch, message: string, ifVersion?: number): Promise<void> {
  await verified({ operation: "updateUser", object_id: user.id }, admin || !!patch.reset_password, (token) => api.dealership.updateUser(user.id, { ...patch, ...withToken(token) }, ifVersion === undefined ? {} : { ifVersion }));
  changed("user", user.id, "sessions");
  toast(message);
}

function edit(user: User, admin: boolean): void {
  const toValues = (u: User) => ({ name: u.name, email: u.email, location_ids: u.location_ids.join(" "), takes_leads: u.takes_leads ? "yes" : "" });
  void openForm({
    name: "user " + user.id, title: `Edit ${user.name}`, submit: "Save",
    version: user.version, values: toValues(user),
    save: (_, c, { ifVersion }) => change(user, admin, {
      ...(c.name !== undefined && { name: c.name }), ...(c.email !== undefined && { email: c.email }),
      ...(c.location_ids !== undefined && { location_ids: split(c.location_ids) }), ...(c.takes_leads !== undefined && { takes_leads: c.takes_leads === "yes" }),
    }, "Person saved.", ifVersion),
    reload: async () => {
      const now = await api.dealership.getUser(user.id);
      return { values: toValues(now), version: now.version };
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required />
        <TextField form={form} name="email" label="Email" type="email" required hint={user.status === "invited" ? "A new address cancels the invitation, and removes the roles." : "A new address is used when the person opens the link that is sent to it."} />
        <LocationsField form={form} />
        <CheckField form={form} name="takes_leads" label="New leads are assigned to this person in turn" />
      </>
    ),
  });
}

function assignRoles(user: User, admin: boolean): void {
  void openForm({
    name: "roles of " + user.id, title: `Roles of ${user.name}`, submit: "Save roles",
    values: { role_ids: user.roles.map((r) => r.id).join(" ") },
    save: async (v) => {
      const role_ids = split(v.role_ids);
      await verified({ operation: "assignUserRoles", object_id: user.id }, admin || (await grantsAdmin(role_ids)), (token) => api.dealership.assignUserRoles(user.id, { role_ids, ...withToken(token) }));
      changed("user", user.id);
      toast("Roles saved.");
    },
    fields: (form) => <RolesField form={form} />,
  });
}

async function resetPassword(user: User): Promise<void> {
  const text = user.status === "invited" ? "The earlier link stops working." : "The password is cleared and all sessions end. An email with a link to set a new password is sent.";
  if (!(await confirm({ title: user.status === "invited" ? `Invite ${user.name} again?` : `Reset the password of ${user.name}?`, text, action: "Send email" }))) return;
  await change(user, true, { reset_password: true }, "The email was sent.");
}
