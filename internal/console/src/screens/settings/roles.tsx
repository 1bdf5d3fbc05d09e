// Roles: what their users can do, in sentences.
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
import { ScopeField, split } from "../choices.tsx";
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

/** What a role lets its users do, in sentences. */
export function abilities(role: Pick<Role, "scopes" | "manager" | "own_locations">): string[] {
  const has = (scope: string) => role.scopes.includes(scope);
  const either = (noun: string, read: string, write: string) => (has(noun + ":write") ? write : has(noun + ":read") ? read : "");
  return [
    either("hulls", "Sees boats, specifications, prices and photos.", "Adds and changes boats and prices. Sees costs."),
    either("leads", "Sees leads, contacts and messages.", "Works on leads and contacts, and sends messages."),
    either("deals", "Sees deals, offers and documents.", has("hulls:write") ? "Makes and changes deals. Sees profits." : "Makes and changes deals."),
    has("webhooks") ? "Manages webhooks and sees events." : "",
    has("admin") ? "Manages the dealership, its people, roles and API keys, and reads the audit log. Needs a two-factor code." : "",
    role.manager ? "Makes exceptions and books money that leaves: overrides a hold, writes off a balance, refunds a payment, undoes a sale." : "",
  ].filter(Boolean);
}

/** What a role doesn't let its users do, as far as people would ask. */
function limits(role: Pick<Role, "scopes" | "manager" | "own_locations">): string {
  const has = (scope: string) => role.scopes.includes(scope);
  const all = [
    !has("hulls:read") && !has("hulls:write") ? "see boats" : !has("hulls:write") && "change prices or see costs", !has("leads:read") && !has("leads:write") ? "see leads" : !has("leads:write") && "send messages",
    !has("deals:read") && !has("deals:write") ? "see deals" : !has("deals:write") && "change deals", !has("admin") && "change settings", !role.manager && "make exceptions to rules",
  ].filter(Boolean);
  return all.length > 0 ? `Can’t ${all.slice(0, -1).join(", ")}${all.length > 1 ? " or " : ""}${all.at(-1)}.` : "";
}

export function RoleSettings() {
  const roles = useRoles();
  useKeys({ c: () => edit() });
  return (
    <SettingsPage path="roles" actions={<Button kind="primary" icon="plus" onClick={() => edit()}>Create role</Button>}>
      <div class="roles" role="region" aria-label="Roles" tabIndex={0}><Loaded load={roles}>{(all) => <ul>{all.map((role) => <RoleRow key={role.id} role={role} />)}</ul>}</Loaded></div>
    </SettingsPage>
  );
}

function RoleRow({ role }: { role: Role }) {
  const can = abilities(role);
  return (
    <li>
      <h2>{roleName(role)} {role.built_in && <Tag>Built-in</Tag>} {role.manager && <Tag tone="blue">Manager</Tag>}</h2>
      <div>
        <p>{can.join(" ") || "Can only sign in."}{role.own_locations && <> <b>Only at their own locations.</b></>}</p>
        <p class="sub">{limits(role)}</p>
      </div>
      {!role.built_in && (
        <Menu class="btn quiet square" label={`Actions for ${role.name}`} align="end" button={<Icon name="more" />} items={[
          { title: "Edit", icon: "edit", onClick: () => edit(role) },
          { title: "Delete", icon: "trash", onClick: () => void remove(role).catch(toastError) },
        ]} />
      )}
    </li>
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
        <ScopeField form={form} name="scopes" label="What people with this role can do" {...(role && { hint: "The change applies to all users with the role immediately." })} />
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
