// One entry of the audit log, in words. The JSON has the IDs.
import type { AuditEntry } from "../../api.ts";
import { dayName } from "../../format.ts";
import { Json } from "../../parts/json.tsx";
import { Facts } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { href, setQuery } from "../../router.ts";
import { session } from "../../session.ts";
import { browser, word } from "../../words.ts";
import { ChainBox } from "./audit-chain.tsx";
import { Sentence, who } from "./audit-lines.tsx";
import { changesOf, isCreation, isRefused, relatedTo, type Changes as Changed, type NameOf } from "./audit-words.ts";
import { NameLink } from "./traces.tsx";

export function EntryPeek({ entry: e, nameOf }: { entry: AuditEntry; nameOf: NameOf }) {
  const clock = new Date(e.at).toLocaleTimeString("en-US", { timeZone: session.dealership.timezone, timeZoneName: "short" });
  const others = relatedTo(e.changes, e.target.id);
  return (
    <Peek label="Audit entry" code={isRefused(e) ? "Refused" : "Entry"} onClose={() => setQuery({ peek: undefined })}>
      <h2 class="first"><Sentence action={e.action} target={e.target.id} nameOf={nameOf} /></h2>
      <p class="sub">{who(e)} · {dayName(e.at)}, {clock}</p>
      <Changes changes={e.changes} nameOf={nameOf} />
      <Facts facts={[
        ["Object", /_[0-9a-z]{26}$/.test(e.target.id) && <NameLink id={e.target.id} nameOf={nameOf} />],
        ["Related", others.length > 0 && <>{others.map((id, i) => <span key={id}>{i > 0 && ", "}<NameLink id={id} nameOf={nameOf} /></span>)}</>],
        ["By", e.actor.type === "system" ? "Slipway, automatically" : `${e.actor.label}, ${word(e.actor.type).toLowerCase().replace("api", "API")}`],
        ["From", [e.user_agent && browser(e.user_agent), e.ip].filter(Boolean).join(", ")],
        ["Request", e.request_id && <a class="link" href={href("developers/requests", { peek: e.request_id })}>In the request log</a>],
      ]} />
      <p class="links">
        <a class="link" href={href("developers/audit", { actor_id: e.actor.id })}>All by {who(e)}</a>
        {e.target.id && <a class="link" href={href("developers/audit", { target_id: e.target.id })}>All about this object</a>}
      </p>
      <ChainBox />
      <details class="raw"><summary>JSON</summary><Json value={e} /></details>
    </Peek>
  );
}

/** The fields that changed, in words. */
export function Changes({ changes, nameOf }: { changes: Changed; nameOf: NameOf }) {
  const rows = changesOf(changes, nameOf);
  if (rows.length === 0) return null;
  const isNew = isCreation(changes);
  return (
    <>
      <h3>{isNew ? "Recorded" : "Changed"}</h3>
      <table class="diff">
        <thead><tr><th scope="col">Field</th>{!isNew && <th scope="col">Before</th>}<th scope="col">{isNew ? "Value" : "After"}</th></tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.label}><th scope="row">{r.label}</th>{!isNew && <td>{r.from === undefined ? "–" : <del>{r.from}</del>}</td>}<td>{r.to === undefined ? "–" : isNew ? r.to : <ins>{r.to}</ins>}</td></tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
