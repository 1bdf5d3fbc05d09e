// Notifications of the browser, for what happens while the user is in another window.
import { api, type PreviewLead } from "./api.ts";
import { excerpt } from "./format.ts";
import { onHint, type Hint } from "./live.ts";
import { prefer, preference } from "./prefs.ts";
import { href, navigate } from "./router.ts";
import { contactName } from "./screens/contacts/people.tsx";
import { can, session } from "./session.ts";

export function canNotify(): NotificationPermission | "unsupported" {
  return "Notification" in window ? Notification.permission : "unsupported";
}

export function notifies(): boolean {
  return preference("notify") && canNotify() === "granted";
}

/** Turns notifications on or off in this browser, which asks the user. Returns whether they are on. */
export async function setNotifies(on: boolean): Promise<boolean> {
  if (on && canNotify() !== "granted") await Notification.requestPermission();
  prefer("notify", on);
  return notifies();
}

interface Note {
  title: string;
  body: string;
  path: string;
}

/** Returns what to say about a change, or undefined if it isn't for the user. */
async function noteOf({ type, object_id }: Hint): Promise<Note | undefined> {
  switch (type) {
    case "lead.message_received":
    case "lead.created":
    case "lead.assigned": {
      if (!can("leads:read")) return undefined;
      const lead = await api.preview.leads.get(object_id, { expand: ["contact", "last_message"] });
      return leadNote(type, lead);
    }
    case "proposal.created": {
      const p = await api.preview.proposals.get(object_id);
      return { title: `${p.proposed_by.label} proposes`, body: p.preview.title, path: "approvals/" + p.id };
    }
  }
  return undefined;
}

function leadNote(type: string, lead: PreviewLead): Note | undefined {
  const isMine = lead.owner_id === session.user.id;
  if (lead.awaiting !== "us" || (lead.owner_id && !isMine) || (type === "lead.assigned" && !isMine)) return undefined;
  const name = lead.contact ? contactName(lead.contact) : "A customer";
  const path = "leads/" + lead.id;
  if (type === "lead.message_received") return { title: name, body: excerpt(lead.last_message?.body ?? ""), path };
  return { title: type === "lead.created" ? `New lead: ${name}` : `Your lead: ${name}`, body: excerpt(lead.message ?? lead.interest ?? ""), path };
}

/** Shows notifications for as long as the page is open. Of several tabs with the same one, the browser shows it once. */
export function startNotifications(): void {
  onHint((hint) => {
    if (!hint || !notifies() || document.visibilityState === "visible") return;
    noteOf(hint).then((note) => note && show(hint, note), () => {}); // it can have been deleted, or belong to others
  });
}

function show(hint: Hint, { title, body, path }: Note): void {
  const notification = new Notification(title, { body, tag: hint.object_id });
  notification.onclick = () => {
    window.focus();
    navigate(href(path));
    notification.close();
  };
}
