// SCIM of an SSO connection: the token for the identity provider, and the roles that wait for an administrator.
import { api, type Connection, type PreviewProvisioning } from "../../api.ts";
import { dateTime } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href } from "../../router.ts";
import { Copyable, showSecret, verified, withToken } from "../dialogs.tsx";

/** What the identity provider manages. */
export function Scim({ connection: c }: { connection: Connection }) {
  const state = useLoad(["scim", c.id], () => api.preview.access.getScim(c.id), ["sso_connection", "user"]);
  return <Loaded load={state}>{(s) => <State connection={c} state={s} />}</Loaded>;
}

function State({ connection: c, state: s }: { connection: Connection; state: PreviewProvisioning }) {
  return (
    <>
      <p class="sub">With SCIM, your provider creates and deactivates users, and its groups set their roles. People who leave the company lose access immediately.</p>
      {s.enabled && (
        <>
          <div class="field"><span>SCIM base URL</span><Copyable text={s.base_url} /></div>
          <p class="sub">{s.user_count} {s.user_count === 1 ? "user" : "users"}, {s.group_count} {s.group_count === 1 ? "group" : "groups"}. {s.last_change_at ? `Last change ${dateTime(s.last_change_at)}.` : "No changes yet."}</p>
        </>
      )}
      {s.pending_roles.length > 0 && (
        <div class="note flat">
          <div>
            <p>These roles can manage users and keys, so SCIM doesn't assign them. If they are right, assign them yourself.</p>
            {s.pending_roles.map((p) => <p key={p.user_id + p.role_id}><a class="link" href={href("settings/people")}>{p.user_name}</a>: {p.role_name}</p>)}
          </div>
        </div>
      )}
      <div class="row">
        <Button onClick={() => void create(c, s).catch(toastError)}>{s.enabled ? "Replace SCIM token" : "Create SCIM token"}</Button>
        {s.enabled && <Button onClick={() => void remove(c).catch(toastError)}>Remove SCIM token</Button>}
      </div>
    </>
  );
}

async function create(c: Connection, s: PreviewProvisioning): Promise<void> {
  const question = { title: `Replace the SCIM token of ${c.name}?`, text: "The current token stops working immediately.", action: "Replace token", danger: true };
  if (s.enabled && !(await confirm(question))) return;
  const made = await verified({ operation: "preview.createScimToken", object_id: c.id }, true, (token) => api.preview.access.createScimToken(c.id, withToken(token)));
  changed("sso_connection");
  await showSecret("SCIM token", "Enter both at your identity provider. Slipway shows the token only once.", [["SCIM base URL", made.base_url], ["Token", made.token]]);
}

async function remove(c: Connection): Promise<void> {
  if (!(await confirm({ title: `Remove the SCIM token of ${c.name}?`, text: "Your provider can no longer manage users. The users stay as they are.", action: "Remove token", danger: true }))) return;
  await api.preview.access.deleteScimToken(c.id);
  changed("sso_connection");
  toast("Token removed.");
}
