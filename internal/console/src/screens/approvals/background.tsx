// The pane about a proposal: the boat and the person, who asks and why, and what happened to the boat before.
import type { Actor, PreviewProposal, PreviewProposalFact, PreviewProposalOffer } from "../../api.ts";
import { date, dateTime, money, usd } from "../../format.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Photo } from "../../parts/photo.tsx";
import { href, setQuery } from "../../router.ts";
import { can } from "../../session.ts";
import { BoatMoments } from "../boats/activity.tsx";
import { boatName, useBoat, useLocations } from "../boats/shared.ts";
import { useNames } from "../contacts/people.tsx";

const kinds: Record<Actor["type"], string> = { api_key: "API key", app: "app", user: "person", system: "Slipway" };

export function Background({ p }: { p: PreviewProposal }) {
  const names = useNames();
  const of = (...labels: string[]) => p.preview.rows.find((r) => r.object_id && labels.includes(r.label));
  const boat = can("hulls:read") ? of("Boat")?.object_id : undefined;
  const person = can("leads:read") ? of("Buyer", "Contact") : undefined;
  return (
    <div class="body">
      <div class="narrow-only ctx-close"><IconButton icon="close" label="Close details" onClick={() => setQuery({ details: undefined })} /></div>
      {boat && <Boat id={boat} />}
      {person && <><h2>{person.label}</h2><a class="boat-card" href={href("contacts/" + person.object_id)}><Avatar name={person.to} /><b>{person.to}</b></a></>}
      <Facts facts={p.preview.facts} />
      <h2>Who asks, and why</h2>
      <div class="msg"><p>{p.reason}</p></div>
      <p class="muted small-text">
        Written by {p.proposed_by.label}{p.for_user_id ? `, an app that ${names(p.for_user_id)} connected` : ` (${kinds[p.proposed_by.type]})`}, not by Slipway. Proposed {dateTime(p.created_at)}
        {p.status === "pending" && `, expires ${date(p.expires_at)}`}.
      </p>
      <Others offers={p.preview.other_offers} />
      {boat && <Before id={boat} />}
    </div>
  );
}

function Boat({ id }: { id: string }) {
  const { data } = useBoat(id);
  const locations = useLocations();
  if (!data) return null;
  return (
    <>
      <h2>Boat</h2>
      <a class="boat-card" href={href("boats/" + id)}>
        <Photo boat={data} />
        <span><b>{boatName(data)}</b><small>{[data.stock_number, locations.get(data.location_id)?.name, money(data.price), data.days_in_stock !== null && `${data.days_in_stock} days in stock`].filter(Boolean).join(" · ")}</small></span>
      </a>
    </>
  );
}

const results = { matches: ["check", "Right"], differs: ["alert", "Wrong"], unknown: ["help", "Not known"] } as const;

/** Facts in the proposed text, compared with the boat and the calendar. */
function Facts({ facts }: { facts: PreviewProposalFact[] }) {
  if (facts.length === 0) return null;
  return (
    <>
      <h2>Facts in the proposed text</h2>
      <ul class="checks facts">
        {facts.map((f, i) => {
          const [icon, label] = results[f.result];
          return <li key={i} class={f.result === "matches" ? "yes" : f.result === "differs" ? "no" : ""}><Icon name={icon} /><span><span class="vh">{label}: </span>{f.text}</span><span class="muted small">{f.note}</span></li>;
        })}
      </ul>
    </>
  );
}

/** Other open offers for the same boat. */
function Others({ offers }: { offers: PreviewProposalOffer[] }) {
  if (offers.length === 0) return null;
  return (
    <>
      <h2>Also on this boat</h2>
      <ol class="line">
        {offers.map((o, i) => {
          const amount = usd(o.amount.amount / 100);
          return (
            <li key={i} class={i === 0 ? "now" : ""}>
              <a class="link" href={href("deals/" + o.deal_id)}>{o.ours ? <>We offer <b>{o.buyer ?? "another buyer"}</b> {amount}</> : <><b>{o.buyer ?? "Another buyer"}</b> offers {amount}</>}</a>
              <small>{o.expires_at ? `Open until ${dateTime(o.expires_at)}` : "Open"}</small>
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Before({ id }: { id: string }) {
  const { data } = useBoat(id);
  return data && <><h2>Lately on this boat</h2><BoatMoments boat={data} most={3} /></>;
}
