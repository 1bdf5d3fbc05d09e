// API keys: who can use the API, with which scopes, and how much they do.
import { VERSION } from "../../../../../sdk/ts/src/types.gen.ts";
import { api, type APIKey } from "../../api.ts";
import { ago, date, dateTime, number } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { NumberField, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Status } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { setQuery, usePlace, withQuery } from "../../router.ts";
import { useActions } from "../../shell/actions.ts";
import { ScopeField, ScopeText, split } from "../choices.tsx";
import { openForm, showSecret, tokenHeader, verified, withToken } from "../dialogs.tsx";

export function Keys() {
  const { query } = usePlace();
  const all = useList(["api keys"], (page) => api.access.listApiKeys(page), ["api_key"]);
  const ended = query.get("show") === "ended";
  const keys = { ...all, data: all.data?.filter((k) => hasEnded(k) === ended) };
  useKeys({ c: () => void create() });
  useActions([{ title: "Create API key", icon: "key", key: "C", run: () => void create() }]);
  const action = <Button kind="primary" icon="plus" onClick={() => void create()}>Create key</Button>;
  return (
    <Sheet>
      <Page title="API keys" actions={action}>
        <Tabs label="Keys" tabs={[
          { title: "Active", href: withQuery({ show: undefined }), current: !ended },
          { title: "Revoked and expired", href: withQuery({ show: "ended" }), current: ended },
        ]} />
        <Table
          label="API keys" list={keys} columns={columns} current={query.get("row") ?? undefined} onMove={(k) => setQuery({ row: k.id })}
          empty={ended
            ? <NoRows filtered={false} text="No key was revoked or has expired." clear={() => {}} />
            : <NoRows filtered={false} text="No API keys yet. A key lets a program use the API." clear={() => {}} action={action} />}
        />
      </Page>
    </Sheet>
  );
}

function hasEnded(key: APIKey): boolean {
  return key.revoked_at !== null || (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now());
}

const columns: Array<Column<APIKey>> = [
  { title: "Name", phone: "main", cell: (k) => <div class="t"><b>{k.name}</b><small><span class="mono">{k.prefix}…</span> · {k.created_by.label}</small></div> },
  { title: "Scopes", wide: true, cell: (k) => <ScopeText of={k.scopes} /> },
  { title: "State", phone: "bottom", cell: (k) => <State of={k} /> },
  { title: "Last used", cell: (k) => <span class="sub" title={k.last_used_at ? dateTime(k.last_used_at) : ""}>{k.last_used_at ? ago(k.last_used_at) : "Never"}</span> },
  { title: "Requests in 24 h", align: "right", cell: (k) => <span class="num">{number(k.uses_24h)}</span> },
  { title: "Limit", align: "right", cell: (k) => <span class="sub num">{k.rate_limit ? `${number(k.rate_limit)}/s` : "Default"}</span> },
  { title: "API version", cell: (k) => <Version of={k} /> },
  { title: "", align: "right", phone: "top", cell: (k) => !hasEnded(k) && <KeyMenu of={k} /> },
];

// The changelog lists what each version added.
function Version({ of: key }: { of: APIKey }) {
  if (key.service_version >= VERSION) return <span class="sub">{key.service_version}</span>;
  return <div class="t">{key.service_version}<small><a class="link" href={`/changelog#${VERSION}`} target="_blank">See what {VERSION} adds</a></small></div>;
}

function State({ of: key }: { of: APIKey }) {
  if (key.revoked_at) return <Status value="revoked" label={`Revoked ${date(key.revoked_at)}`} tone="gray" />;
  if (key.expires_at) return <Status value="expires" label={`${hasEnded(key) ? "Expired" : key.user_id ? "Command line, expires" : "Rotated, expires"} ${date(key.expires_at)}`} tone={hasEnded(key) ? "gray" : "amber"} />;
  return <Status value="active" />;
}

function KeyMenu({ of: key }: { of: APIKey }) {
  return (
    <Menu class="btn quiet square" label={`Actions for ${key.name}`} align="end" button={<Icon name="more" />} items={[
      !key.expires_at && { title: "Rotate", icon: "undo", onClick: () => void rotate(key).catch(toastError) },
      { title: key.expires_at ? "Expire now" : "Revoke", icon: "blocked", onClick: () => void revoke(key).catch(toastError) },
    ]} />
  );
}

async function create(): Promise<void> {
  const issued = await openForm({
    name: "new key", title: "Create API key", submit: "Create key",
    values: { name: "", scopes: "", rate_limit: "" },
    save: async (v) => {
      const scopes = split(v.scopes);
      const key = await verified({ operation: "createApiKey" }, scopes.includes("admin"), (token) => api.access.createApiKey({
        name: v.name, scopes, rate_limit: v.rate_limit ? Number(v.rate_limit) : null, ...withToken(token),
      }));
      changed("api_key");
      return key;
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required hint="The system that uses the key, such as Website." />
        <ScopeField form={form} name="scopes" hint="You can't change the scopes later." />
        <NumberField form={form} name="rate_limit" label="Rate limit" unit="requests per second" hint="Leave it empty for the default of the environment." />
      </>
    ),
  });
  if (issued) await showSecret(`API key ${issued.name}`, "Store this key now. Slipway can't show it again.", [["API key", issued.key]]);
}

async function rotate(key: APIKey): Promise<void> {
  const question = { title: `Rotate ${key.name}?`, text: "You get a new key with the same scopes. The old key works for 7 more days, so that you can replace it.", action: "Rotate key" };
  if (!(await confirm(question))) return;
  const issued = await verified({ operation: "rotateApiKey", object_id: key.id }, key.scopes.includes("admin"), (token) => api.access.rotateApiKey(key.id, withToken(token)));
  const old = await api.access.getApiKey(key.id);
  changed("api_key");
  const until = old.expires_at ? `The old key ${old.prefix}… works until ${dateTime(old.expires_at)}.` : "";
  await showSecret(`New key for ${key.name}`, `Store the new key now. Slipway can't show it again. ${until}`, [["API key", issued.key]]);
}

async function revoke(key: APIKey): Promise<void> {
  const question = { title: `Revoke ${key.name}?`, text: "Programs that use the key stop working immediately. You can't undo this.", action: "Revoke key", danger: true };
  if (!(await confirm(question))) return;
  // Only administrators create keys, so a key of a user affects the admin scope too.
  const affectsAdmin = key.scopes.includes("admin") || key.created_by.type === "user";
  await verified({ operation: "revokeApiKey", object_id: key.id }, affectsAdmin, (token) => api.access.revokeApiKey(key.id, tokenHeader(token)));
  changed("api_key");
  toast("Key revoked.");
}
