// OAuth apps: those that this dealership publishes, and those that are installed here.
import { api, type App, type AppType, type Install, type IssuedApp } from "../../api.ts";
import { ago, date } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Select, TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { word } from "../../words.ts";
import { ScopeField, ScopeText, split } from "../choices.tsx";
import { openForm, showSecret, tokenHeader, verified, withToken } from "../dialogs.tsx";
import { SettingsPage } from "./page.tsx";

export function AppSettings() {
  const apps = useList(["apps"], (page) => api.access.listApps(page), ["app"]);
  const installs = useList(["installs"], (page) => api.access.listInstalls(page), ["app"]);
  const users = useLoad(["directory"], () => api.preview.dealership.listDirectory({ limit: 100 }), ["user"]);
  const names = new Map(users.data?.data.map((u) => [u.id, u.name]));
  useKeys({ c: () => void edit() });
  const action = <Button kind="primary" icon="plus" onClick={() => void edit()}>Register app</Button>;
  return (
    <SettingsPage path="apps" actions={action}>
      <div class="content stacked-tables">
        <h2>Installed apps</h2>
        <Table label="Installed apps" list={installs} columns={installColumns(names)} empty={<NoRows filtered={false} text="No apps are installed. An app asks you for access when you connect it." clear={() => {}} />} />
        <h2>Your apps</h2>
        <Table label="Your apps" list={apps} columns={appColumns} empty={<NoRows filtered={false} text="No apps yet. Register an app if your program works for several dealerships." clear={() => {}} />} />
      </div>
    </SettingsPage>
  );
}

const appColumns: Array<Column<App>> = [
  { title: "Name", phone: "main", cell: (a) => <div class="t"><b><button type="button" class="link-title" onClick={() => void edit(a)}>{a.name}</button></b><small class="mono">{a.client_id}</small></div> },
  { title: "Scopes", wide: true, cell: (a) => <ScopeText of={a.scopes} /> },
  { title: "Type", phone: "bottom", cell: (a) => <span class="sub">{word(a.type)}</span> },
  { title: "Old secret", cell: (a) => <span class="sub">{a.old_secret_expires_at && `expires ${date(a.old_secret_expires_at)}`}</span> },
  {
    title: "", align: "right", phone: "top",
    cell: (a) => <Menu class="btn quiet square" label={`Actions for ${a.name}`} align="end" button={<Icon name="more" />} items={[
      { title: "Edit", icon: "edit", onClick: () => void edit(a) },
      a.type === "confidential" && { title: "Rotate secret", icon: "undo", onClick: () => void rotate(a).catch(toastError) },
      { title: "Delete", icon: "trash", onClick: () => void remove(a).catch(toastError) },
    ]} />,
  },
];

function installColumns(names: Map<string, string>): Array<Column<Install>> {
  return [
    { title: "Name", phone: "main", cell: (i) => <div class="t"><b>{i.app.name}</b><small>By {i.app.publisher}</small></div> },
    { title: "Scopes", wide: true, cell: (i) => <ScopeText of={i.scopes} /> },
    { title: "Allowed by", phone: "bottom", cell: (i) => <span class="sub">{names.get(i.user_id) ?? i.user_id}</span> },
    { title: "Last used", cell: (i) => <span class="sub">{i.last_used_at ? ago(i.last_used_at) : "Never"}</span> },
    { title: "", align: "right", phone: "top", cell: (i) => <Button small onClick={() => void uninstall(i).catch(toastError)}>Uninstall</Button> },
  ];
}

/** Registers or edits an app. */
async function edit(app?: App): Promise<void> {
  const issued = await openForm({
    name: app ? "app " + app.id : "new app", title: app ? `Edit ${app.name}` : "Register app", submit: app ? "Save" : "Register app",
    ...(app && { version: app.version }),
    values: { name: app?.name ?? "", homepage_url: app?.homepage_url ?? "", type: app?.type ?? "confidential", redirect_uris: app?.redirect_uris.join("\n") ?? "", scopes: app?.scopes.join(" ") ?? "" },
    save: async (v, _, options) => {
      const body = { name: v.name, homepage_url: v.homepage_url || null, redirect_uris: split(v.redirect_uris), scopes: split(v.scopes) };
      const admin = body.scopes.includes("admin") || !!app?.scopes.includes("admin");
      const saved = await verified(app ? { operation: "updateApp", object_id: app.id } : { operation: "createApp" }, admin, (token): Promise<App | IssuedApp> => app
        ? api.access.updateApp(app.id, { ...body, ...withToken(token) }, options)
        : api.access.createApp({ ...body, type: v.type as AppType, ...withToken(token) }));
      changed("app");
      toast("App saved.");
      return saved;
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required hint="Users see it when they allow access." />
        <TextField form={form} name="homepage_url" label="Website" type="url" />
        {!app && <Select form={form} name="type" label="Where it runs" required choices={[["confidential", "On a server, with a secret"], ["public", "On the user's device, without a secret"]]} />}
        <TextArea form={form} name="redirect_uris" label="Redirect URIs" required rows={2} hint="One per line. A request must use one of them exactly." />
        <ScopeField form={form} name="scopes" />
      </>
    ),
  });
  if (issued && "client_secret" in issued) await showIssued(issued, "");
}

function showIssued(app: IssuedApp, note: string): Promise<void> {
  return showSecret(app.name, `Store the client secret now. Slipway can't show it again. ${note}`, [["Client ID", app.client_id], ["Client secret", app.client_secret]]);
}

async function rotate(app: App): Promise<void> {
  if (!(await confirm({ title: `Rotate the secret of ${app.name}?`, text: "The old secret works for 7 more days, so that you can replace it.", action: "Rotate secret" }))) return;
  const issued = await verified({ operation: "rotateAppSecret", object_id: app.id }, app.scopes.includes("admin"), (token) => api.access.rotateAppSecret(app.id, withToken(token)));
  changed("app");
  await showIssued(issued, issued.old_secret_expires_at ? `The old secret works until ${date(issued.old_secret_expires_at)}.` : "");
}

async function remove(app: App): Promise<void> {
  if (!(await confirm({ title: `Delete ${app.name}?`, text: "Its tokens stop working immediately, in all dealerships.", action: "Delete app", danger: true, type: app.name }))) return;
  await verified({ operation: "deleteApp", object_id: app.id }, app.scopes.includes("admin"), (token) => api.access.deleteApp(app.id, tokenHeader(token)));
  changed("app");
  toast("App deleted.");
}

async function uninstall(install: Install): Promise<void> {
  if (!(await confirm({ title: `Uninstall ${install.app.name}?`, text: "It loses access to this environment immediately.", action: "Uninstall app", danger: true }))) return;
  await verified({ operation: "revokeInstall", object_id: install.id }, install.scopes.includes("admin"), (token) => api.access.revokeInstall(install.id, tokenHeader(token)));
  changed("app");
  toast("App uninstalled.");
}
