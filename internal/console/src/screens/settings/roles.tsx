// Roles: which scopes their users have.
import { api, type Role } from "../../api.ts";
import { useKeys } from "../../keys.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { word } from "../../words.ts";
import { ScopeField, scopes, split } from "../choices.tsx";
import { openForm, tokenHeader, verified, withToken } from "../dialogs.tsx";
import { SettingsPage } from "./page.tsx";

/** The roles of the dealership. */
export function useRoles() {
  return useLoad(["roles"], async () => (await api.dealership.listRoles({ limit: 100 })).data, ["role"]);
}

export function isAdmin(role: Role | undefined): boolean {
  return role?.scopes.includes("admin") ?? false;
}

/** Reports whether one of these roles has the admin scope. */
export async function grantsAdmin(role_ids: string[]): Promise<boolean> {
  const { data } = await api.dealership.listRoles({ limit: 100 });
  return data.some((r) => role_ids.includes(r.id) && isAdmin(r));
}

/** Built-in roles have lowercase names. */
export function roleName(role: { name: string }): string {
  return word(role.name);
}

export function RoleSettings() {
  const roles = useRoles();
  useKeys({ c: () => edit() });
  return (
    <SettingsPage path="roles" actions={<Button kind="primary" icon="plus" onClick={() => edit()}>Create role</Button>}>
      <div class="matrix" role="region" aria-label="Scopes of the roles" tabIndex={0}><Loaded load={roles}>{(all) => <Matrix roles={all} />}</Loaded></div>
    </SettingsPage>
  );
}

/** One row for each role, one column for each scope. */
function Matrix({ roles }: { roles: Role[] }) {
  const names = Object.entries(scopes);
  return (
    <table aria-label="Roles">
      <thead><tr><th scope="col">Role</th><th scope="col" class="c" title="Its users can make exceptions and book money that leaves: override a hold, write a balance off, refund a payment, undo a sale.">Manager</th><th scope="col" class="c" title="Its users only see and change what belongs to their own locations.">Own locations</th>{names.map(([s, doc]) => <th key={s} scope="col" class="c mono" title={doc}>{s}</th>)}<th scope="col"><span class="vh">Actions</span></th></tr></thead>
      <tbody>
        {roles.map((role) => (
          <tr key={role.id}>
            <th scope="row" class="role-name"><b>{roleName(role)}</b>{role.built_in && <Tag>Built-in</Tag>}</th>
            {[["manager", role.manager], ["own_locations", role.own_locations], ...names.map(([s]) => [s, role.scopes.includes(s)])].map(([name, yes]) => (
              <td key={name} class="c">{yes ? <><Icon name="check" /><span class="vh">Yes</span></> : <span class="muted">–<span class="vh">No</span></span>}</td>
            ))}
            <td class="r">{role.built_in ? null : (
              <Menu class="btn quiet square" label={`Actions for ${role.name}`} align="end" button={<Icon name="more" />} items={[
                { title: "Edit", icon: "edit", onClick: () => edit(role) },
                { title: "Delete", icon: "trash", onClick: () => void remove(role).catch(toastError) },
              ]} />
            )}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Creates or edits a role. */
function edit(role?: Role): void {
  void openForm({
    name: role ? "role " + role.id : "new role", title: role ? `Edit ${role.name}` : "Create role", submit: role ? "Save" : "Create role",
    ...(role && { version: role.version }),
    values: { name: role?.name ?? "", scopes: role?.scopes.join(" ") ?? "", manager: role?.manager ? "yes" : "", own_locations: role?.own_locations ? "yes" : "" },
    save: async (v, _, options) => {
      const body = { name: v.name, scopes: split(v.scopes), manager: v.manager === "yes", own_locations: v.own_locations === "yes" };
      await verified(role ? { operation: "updateRole", object_id: role.id } : { operation: "createRole" }, body.scopes.includes("admin") || isAdmin(role), (token) =>
        role ? api.dealership.updateRole(role.id, { ...body, ...withToken(token) }, options) : api.dealership.createRole({ ...body, ...withToken(token) }));
      changed("role");
      toast("Role saved.");
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required />
        <ScopeField form={form} name="scopes" {...(role && { hint: "The change applies to all users with the role immediately." })} />
        <CheckField form={form} name="manager" label="For managers" hint="Can make exceptions and book money that leaves: override a hold, write a balance off, refund a payment, undo a sale." />
        <CheckField form={form} name="own_locations" label="Only their own locations" hint="Only sees and changes the boats, leads, deals and appointments of the locations where the person works." />
      </>
    ),
  });
}

async function remove(role: Role): Promise<void> {
  if (!(await confirm({ title: `Delete the role ${role.name}?`, text: "You can only delete a role that no user has.", action: "Delete role", danger: true }))) return;
  await verified({ operation: "deleteRole", object_id: role.id }, isAdmin(role), (token) => api.dealership.deleteRole(role.id, tokenHeader(token)));
  changed("role");
  toast("Role deleted.");
}
