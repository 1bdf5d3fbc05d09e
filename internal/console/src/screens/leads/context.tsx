// The pane about a lead: how to reach them, what they look for, how interested they are, and what comes next.
import { useState } from "preact/hooks";
import { api, type ConsentChannel, type PreviewLead } from "../../api.ts";
import { count, dateTime, money, phone, when } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { IconButton } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Photo } from "../../parts/photo.tsx";
import { Tag } from "../../parts/status.tsx";
import { toastError } from "../../parts/toast.tsx";
import { href, setQuery } from "../../router.ts";
import { can, whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { boatName } from "../boats/shared.ts";
import { PersonActivity } from "../contacts/activity.tsx";
import { LogConsent, RevokeConsent, useConsents } from "../contacts/consents.tsx";
import { ConsentBadge, consentNote, leadExpansions, leadTitle } from "../contacts/people.tsx";
import { setDone } from "./actions.ts";
import { useReach } from "./compose.tsx";
import { AddAppointment, AddTask, EditLead, RecordSignal } from "./forms.tsx";
import { LeadPlan } from "./plan.tsx";
import { useLeadActivities } from "./talk.tsx";

type Open = "task" | "appointment" | "edit" | "signal";

export function LeadContext({ lead }: { lead: PreviewLead }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const action = (what: Open, title: string) => can("leads:write") && <button type="button" class="link" onClick={() => setOpen(what)}>{title}</button>;
  return (
    <div class="body">
      <div class="narrow-only ctx-close"><IconButton icon="close" label="Close details" onClick={() => setQuery({ details: undefined })} /></div>
      <h2>Contact methods<a class="link" href={href("contacts/" + lead.contact_id)}>Contact</a></h2>
      <Methods lead={lead} />
      <h2>Looking for{action("edit", "Edit")}</h2>
      <Wish lead={lead} />
      <OtherLeads lead={lead} />
      <h2>Interest{action("signal", "Record")}</h2>
      <Interest lead={lead} />
      <LeadPlan lead={lead} />
      <h2>Tasks{action("task", "Add")}</h2>
      <Tasks leadId={lead.id} />
      <h2>Appointments{action("appointment", "Add")}</h2>
      <Appointments leadId={lead.id} />
      <h2>Activity</h2>
      <PersonActivity id={lead.id} />
      {open === "task" && <AddTask lead={lead} onClose={close} />}
      {open === "appointment" && <AddAppointment lead={lead} onClose={close} />}
      {open === "edit" && <EditLead lead={lead} onClose={close} />}
      {open === "signal" && <RecordSignal lead={lead} onClose={close} />}
    </div>
  );
}

function Methods({ lead }: { lead: PreviewLead }) {
  const { data } = useReach(lead.id);
  const consents = useConsents(lead.contact_id);
  const [dialog, setDialog] = useState<{ channel: ConsentChannel; revoke: boolean }>();
  const checks = (channel: ConsentChannel) => data?.checks.filter((c) => c.channel === channel) ?? [];
  const number = lead.contact?.phone;
  const call = consents.data?.data.find((c) => c.channels.includes("voice"));
  const listed = checks("voice").some((c) => c.code === "do_not_call");
  const callable = !listed && call?.direction === "granted" && !(call.expires_at && Date.parse(call.expires_at) < Date.now());

  const menu = (channel: ConsentChannel) => can("leads:write") && (
    <Menu
      class="btn quiet square small" label={`Consent for ${word(channel).toLowerCase()}`} align="end" button={<Icon name="more" />}
      items={[{ title: "Log consent", onClick: () => setDialog({ channel, revoke: false }) }, { title: "Revoke consent", onClick: () => setDialog({ channel, revoke: true }) }]}
    />
  );
  const row = (channel: "sms" | "email", icon: IconName, address: string | null | undefined) => {
    const found = checks(channel);
    const first = found.find((c) => c.code === "needs_review") ?? found[0];
    return address && first && (
      <li><Icon name={icon} /><span class="num" title={address}>{channel === "sms" ? phone(address) : address}</span><ConsentBadge checks={found} />{menu(channel)}<small>{consentNote(first, consents.data?.data.find((c) => c.id === first.consent_id))}</small></li>
    );
  };
  return (
    <ul class="reach">
      {row("sms", "message", number)}
      {row("email", "mail", lead.contact?.email)}
      {number && (
        <li>
          <Icon name="phone" />{callable ? <a class="link num" href={"tel:" + number}>{phone(number)}</a> : <span>Calls</span>}
          <Tag tone={listed ? "red" : !call ? "gray" : callable ? "green" : "red"}>{listed ? "Do not call" : !call ? "No record" : callable ? "Given" : word(call.direction === "revoked" ? "revoked" : "expired")}</Tag>
          {menu("voice")}
          <small>{listed ? "On a do-not-call list: no sales calls" : call ? when(call.captured_at) : "Get consent before calling with offers"}</small>
        </li>
      )}
      {!number && !lead.contact?.email && <li class="muted">No phone number or email address.</li>}
      {dialog && (dialog.revoke
        ? <RevokeConsent leadId={lead.id} channel={dialog.channel} onClose={() => setDialog(undefined)} />
        : <LogConsent leadId={lead.id} channel={dialog.channel} onClose={() => setDialog(undefined)} />)}
    </ul>
  );
}

/** The boat or the wish, with the budget. */
function Wish({ lead }: { lead: PreviewLead }) {
  const { hull, budget_min: min, budget_max: max } = lead;
  const budget = min && max ? `${money(min)} to ${money(max)}` : max ? `Up to ${money(max)}` : min && `From ${money(min)}`;
  const note = [budget, lead.timeline].filter(Boolean).join(" · ");
  if (!hull && !lead.interest && !note) return <p class="muted small-text">Not known yet.</p>;
  return (
    <>
      {hull && <a class="boat-card" href={href("boats/" + hull.id)}><Photo boat={hull} /><span><b>{boatName(hull)}</b><small>{word(hull.status)} · {money(hull.price)}</small></span></a>}
      {(lead.interest || note) && <div class="wish"><b>{lead.interest}</b>{note && <small>{note}</small>}</div>}
      {lead.possible_mismatch && lead.submitted_contact && (
        <p class="note">The form says {[lead.submitted_contact.first_name, lead.submitted_contact.last_name].filter(Boolean).join(" ")}. This might be another person.</p>
      )}
    </>
  );
}

/** The other inquiries of the same person, so that two salespeople don't work on one buyer without knowing. */
function OtherLeads({ lead }: { lead: PreviewLead }) {
  const { data } = useLoad(["leads of", lead.contact_id], () => api.preview.leads.list({ contact_id: lead.contact_id, expand: leadExpansions(), limit: 6 }), ["lead"]);
  const others = data?.data.filter((l) => l.id !== lead.id) ?? [];
  if (others.length === 0) return null;
  return (
    <>
      <h2>Also asked about</h2>
      {others.map((l) => (
        <a key={l.id} class="boat-card" href={href("leads/" + l.id)}>
          {l.hull && <Photo boat={l.hull} />}
          <span><b>{leadTitle(l)}</b><small>{[word(l.status), l.owner?.name, when(l.created_at)].filter(Boolean).join(" · ")}</small></span>
        </a>
      ))}
    </>
  );
}

const weeks = 12;

/** Signals in each of the last weeks, and the score. */
function Interest({ lead }: { lead: PreviewLead }) {
  const { data } = useLoad(["signals", lead.id], () => api.leads.listSignals(lead.id, { limit: 100 }), ["lead"]);
  const signals = data?.data ?? [];
  const counts = Array.from({ length: weeks }, () => 0);
  for (const s of signals) {
    const ago = Math.floor((Date.now() - Date.parse(s.occurred_at)) / 604_800_000);
    if (ago < weeks) counts[weeks - 1 - ago]!++;
  }
  const most = Math.max(1, ...counts);
  return (
    <>
      <div class="interest" role="img" aria-label={`Signals in the last ${weeks} weeks: ${counts.join(", ")}`}>
        {counts.map((n, i) => <i key={i} title={count(n, "signal")} style={{ "--share": `${(n / most) * 100}%` }} />)}
      </div>
      <p class="muted small-text">Score <b>{lead.score}</b> of 100{signals[0] && ` · Last: ${word(signals[0].kind).toLowerCase()}, ${when(signals[0].occurred_at)}`}</p>
    </>
  );
}

function Tasks({ leadId }: { leadId: string }) {
  const { data } = useLeadActivities(leadId);
  const tasks = data?.data.filter((a) => a.kind === "task") ?? [];
  if (data && !tasks.length) return <p class="muted small-text">No tasks.</p>;
  return (
    <ul class="to-do">
      {tasks.map((t) => (
        <li key={t.id} class={t.done_at ? "done" : ""}>
          <label>
            <input type="checkbox" checked={!!t.done_at} disabled={!!whyNot("leads:write")} onChange={(e) => void setDone(t, e.currentTarget.checked).catch(toastError)} />
            <span>{t.body ?? "Erased"}{t.due_at && !t.done_at && <small class={Date.parse(t.due_at) < Date.now() ? "late" : ""}>Due {dateTime(t.due_at)}</small>}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function Appointments({ leadId }: { leadId: string }) {
  const { data } = useLoad(["appointments", leadId], () => api.preview.appointments.list({ lead_id: leadId, limit: 20 }), ["appointment"]);
  if (data && !data.data.length) return <p class="muted small-text">No appointments.</p>;
  return (
    <ul class="to-do">
      {data?.data.map((a) => (
        <li key={a.id} class={a.status === "scheduled" ? "" : "done"}>
          <Icon name="calendar" /><span>{a.title ?? word(a.kind)}<small>{[dateTime(a.starts_at), a.status !== "scheduled" && word(a.status)].filter(Boolean).join(" · ")}</small></span>
        </li>
      ))}
    </ul>
  );
}
