// Single sign-on: connect the identity provider, verify the domains, test, and then enforce it.
import { useState } from "preact/hooks";
import { api, type Connection } from "../../api.ts";
import type { FormState } from "../../form.tsx";
import { dateTime } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { session } from "../../session.ts";
import { word } from "../../words.ts";
import { RowsField, split, toRows } from "../choices.tsx";
import { Copyable, openForm, tokenHeader, verified, withToken } from "../dialogs.tsx";
import { SettingsPage } from "./page.tsx";
import { grantsAdmin, roleName, useRoles } from "./roles.tsx";
import { Scim } from "./scim.tsx";

export function SsoSettings() {
  const fleet = session.dealership.plan === "fleet";
  const connections = useLoad(fleet ? ["sso"] : undefined, async () => (await api.access.listSsoConnections({ limit: 20 })).data, ["sso_connection"]);
  const add = <Button kind="primary" icon="plus" onClick={() => edit()}>Add connection</Button>;
  if (!fleet) return <SettingsPage path="sso"><Empty text="Single sign-on is part of the fleet plan." /></SettingsPage>;
  return (
    <SettingsPage path="sso" actions={add}>
      <div class="content">
        <Loaded load={connections}>
          {(all) => all.length === 0
            ? <Empty text="No connection yet. Your staff can sign in with Google, Microsoft, Okta or another identity provider." />
            : all.map((c) => <Connected key={c.id} connection={c} />)}
        </Loaded>
      </div>
    </SettingsPage>
  );
}

/** Connections that were tested since the page was loaded. */
const tested = new Set<string>();

function Connected({ connection: c }: { connection: Connection }) {
  const [, render] = useState(0);
  const verifiedDomains = c.domain_verifications.length > 0 && c.domain_verifications.every((d) => d.verified_at);
  const why = !verifiedDomains ? "Verify a domain first." : tested.has(c.id) ? undefined : "Test the connection first.";
  const menu = (
    <Menu class="btn quiet square" label={`Actions for ${c.name}`} align="end" button={<Icon name="more" />} items={[
      { title: "Edit", icon: "edit", onClick: () => edit(c) },
      { title: "Remove", icon: "trash", onClick: () => void remove(c).catch(toastError) },
    ]} />
  );
  const urls: Array<[string, string | null]> = [
    ["Redirect URI", c.redirect_uri], ["Back-channel logout URI", c.backchannel_logout_uri], ["Front-channel logout URI", c.frontchannel_logout_uri], ["Redirect after sign-out", c.post_logout_redirect_uri],
    ["Entity ID", c.sp_entity_id], ["ACS URL", c.acs_url], ["Single logout URL", c.slo_url], ["Metadata URL", c.sp_metadata_url],
  ];
  return (
    <Section title={c.name} action={menu}>
      <div class="row"><Status value="protocol" label={word(c.protocol)} tone="blue" />{c.enforce ? <Status value="enforced" label="Enforced" tone="green" /> : <Status value="optional" label="Not enforced" tone="gray" />}<span class="sub mono">{c.issuer}</span></div>
      {c.metadata_error && <div class="note bad flat"><p>The metadata of the provider could not be read: {c.metadata_error}</p></div>}
      <ol class="sso-steps">
        <li>
          <h3>1. Enter these values at your identity provider</h3>
          {urls.map(([name, url]) => url && <div key={name} class="field"><span>{name}</span><Copyable text={url} /></div>)}
        </li>
        <li>
          <h3>2. Verify your domains</h3>
          {c.domain_verifications.length === 0 && <p class="sub">No domains yet. Add the domains of your email addresses. <button type="button" class="link" onClick={() => edit(c)}>Edit</button></p>}
          {c.domain_verifications.map((d) => (
            <div key={d.domain} class="domain">
              <div class="row"><b>{d.domain}</b><Status value={d.verified_at ? "ready" : "pending"} label={d.verified_at ? "Verified" : "Not verified"} /></div>
              {d.verified_at ? <p class="sub">Since {dateTime(d.verified_at)}</p> : <><p class="sub">Add a TXT record with this name and value to your DNS.</p><Copyable text={d.record_name} /><Copyable text={d.record_value} /></>}
            </div>
          ))}
          {!verifiedDomains && c.domains.length > 0 && <div><Button small onClick={() => void checkDomains(c).catch(toastError)}>Check again</Button></div>}
        </li>
        <li>
          <h3>3. Test, then enforce</h3>
          <p class="sub">The test signs in at your provider and shows what it sent. Enforce turns passwords off for your domains. Owners with a two-factor method can still use theirs.</p>
          <div class="row">
            <a class="btn" href={c.test_url} target="_blank" rel="noopener" onClick={() => (tested.add(c.id), render((n) => n + 1))}><Icon name="open" />Test sign-in</a>
            {c.enforce
              ? <Button onClick={() => void enforce(c, false).catch(toastError)}>Stop enforcing</Button>
              : <Button kind="primary" why={why} onClick={() => void enforce(c, true).catch(toastError)}>Enforce</Button>}
          </div>
        </li>
        <li>
          <h3>4. Let your provider manage users</h3>
          <Scim connection={c} />
        </li>
      </ol>
    </Section>
  );
}

async function checkDomains(c: Connection): Promise<void> {
  await verified({ operation: "updateSsoConnection", object_id: c.id }, false, (token) => api.access.updateSsoConnection(c.id, { domains: c.domains, ...withToken(token) }));
  changed("sso_connection");
  toast("The domains are checked now.");
}

async function enforce(c: Connection, on: boolean): Promise<void> {
  const question = on
    ? { title: `Enforce ${c.name}?`, text: `Users of ${c.domains.join(", ")} can no longer sign in with a password.`, action: "Enforce", danger: true }
    : { title: `Stop enforcing ${c.name}?`, text: "Users can sign in with a password again.", action: "Stop enforcing" };
  if (!(await confirm(question))) return;
  await verified({ operation: "updateSsoConnection", object_id: c.id }, true, (token) => api.access.updateSsoConnection(c.id, { enforce: on, ...withToken(token) }));
  changed("sso_connection");
  toast("Connection saved.");
}

async function remove(c: Connection): Promise<void> {
  if (!(await confirm({ title: `Remove ${c.name}?`, text: "Its sessions end. The users stay, but can no longer sign in with it.", action: "Remove connection", danger: true }))) return;
  await verified({ operation: "deleteSsoConnection", object_id: c.id }, c.enforce, (token) => api.access.deleteSsoConnection(c.id, tokenHeader(token)));
  changed("sso_connection");
  toast("Connection removed.");
}

type SsoValues = Record<"name" | "protocol" | "issuer" | "client_id" | "idp_metadata_url" | "idp_metadata_xml" | "domains" | "jit" | "default_role_id" | "group_mapping" | "support_contact" | "allow_cbc", string>;

/** Adds or edits a connection. The client secret is not part of the form, so that the browser doesn't keep it. */
function edit(c?: Connection): void {
  const secret = { current: "" };
  void openForm({
    name: c ? "sso " + c.id : "new sso", title: c ? `Edit ${c.name}` : "Add connection", submit: c ? "Save" : "Add connection", wide: true,
    ...(c && { version: c.version }),
    values: {
      name: c?.name ?? "", protocol: c?.protocol ?? "oidc", issuer: c?.issuer ?? "", client_id: c?.client_id ?? "", idp_metadata_url: c?.idp_metadata_url ?? "", idp_metadata_xml: "",
      domains: c?.domains.join(" ") ?? "", jit: c?.jit ? "yes" : "", default_role_id: c?.default_role_id ?? "", group_mapping: JSON.stringify(c?.group_mapping ?? []), support_contact: c?.support_contact ?? "", allow_cbc: c?.allow_cbc ? "yes" : "",
    },
    save: async (v, _, options) => {
      const group_mapping = toRows(v.group_mapping).map((r) => ({ group: r["group"]!, role_id: r["role_id"]! }));
      const common = {
        name: v.name, domains: split(v.domains), jit: v.jit === "yes", default_role_id: v.default_role_id || null, group_mapping, support_contact: v.support_contact || null,
      };
      const provider = v.protocol === "oidc"
        ? { issuer: v.issuer, client_id: v.client_id, ...(secret.current && { client_secret: secret.current }) }
        : { allow_cbc: v.allow_cbc === "yes", ...(v.idp_metadata_xml ? { idp_metadata_xml: v.idp_metadata_xml } : v.idp_metadata_url && { idp_metadata_url: v.idp_metadata_url }) };
      const used = [common.default_role_id ?? "", ...group_mapping.map((g) => g.role_id)];
      await verified(c ? { operation: "updateSsoConnection", object_id: c.id } : { operation: "createSsoConnection" }, !!c?.enforce || (await grantsAdmin(used)), async (token) => {
        const body = { ...common, ...provider, ...withToken(token) };
        if (c) await api.access.updateSsoConnection(c.id, body, options);
        else await api.access.createSsoConnection({ ...body, protocol: v.protocol as Connection["protocol"] });
      });
      changed("sso_connection");
      toast("Connection saved.");
    },
    fields: (form) => <Fields {...{ form, secret }} isNew={!c} />,
  });
}

function Fields({ form, secret, isNew }: { form: FormState<SsoValues>; secret: { current: string }; isNew: boolean }) {
  const choices = (useRoles().data ?? []).map((r): [string, string] => [r.id, roleName(r)]);
  const id = form.id + "-secret";
  return (
    <>
      <div class="form-row">
        <TextField form={form} name="name" label="Name" required hint="Shown on the sign-in page." />
        {isNew && <Select form={form} name="protocol" label="Protocol" required choices={[["oidc", "OpenID Connect"], ["saml", "SAML"]]} />}
      </div>
      {form.values.protocol === "oidc" ? (
        <div class="form-row">
          <TextField form={form} name="issuer" label="Issuer" type="url" required placeholder="https://login.example.com" />
          <TextField form={form} name="client_id" label="Client ID" required />
          <div class="field"><label for={id}>Client secret</label><input id={id} type="password" autocomplete="off" placeholder={isNew ? "" : "Stored"} onInput={(e) => void (secret.current = e.currentTarget.value)} /></div>
        </div>
      ) : (
        <>
          <TextField form={form} name="idp_metadata_url" label="Metadata URL of the provider" type="url" />
          <TextArea form={form} name="idp_metadata_xml" label="Or its metadata as XML" rows={3} />
          <CheckField form={form} name="allow_cbc" label="Accept AES-CBC, for a provider that can't encrypt with AES-GCM" />
        </>
      )}
      <TextField form={form} name="domains" label="Email domains" hint="Separated by spaces, such as example.com." />
      <Select form={form} name="default_role_id" label="Role of users without a matching group" empty="No access" choices={choices} />
      <RowsField form={form} name="group_mapping" label="Roles by group" hint="Set at every sign-in. Without any, you assign roles in Slipway." add="Add group"
        columns={[{ name: "group", label: "Group at the provider" }, { name: "role_id", label: "Role", choices }]} />
      <CheckField form={form} name="jit" label="Create users at their first sign-in" />
      <TextField form={form} name="support_contact" label="Whom users without access can ask" />
    </>
  );
}
