// The screens of the console. To add a screen:
//
//   1. Write screens/folder/name.tsx. It exports a component that renders a <Sheet>. Its properties are the parameters of
//      the path. screens/README.md shows an example.
//   2. Add a line here. The first route whose path matches is shown.
//
// A route with a group is in the sidebar. Users without the scope don't see it, and get "Not found" at its URL.
import type { IconName } from "../parts/icon.tsx";
import { quiet } from "../load.ts";
import { can, type Scope } from "../session.ts";
import { useApprovals, useFailing, useInStock, useLeadsToDo, useOpenDeals } from "./counts.ts";
import { lazy, type Screen } from "./lazy.tsx";

export interface Route {
  /** Path with parameters, such as boats/:id/:tab?. */
  path: string;
  title: string;
  screen: Screen;
  /** The user needs one of these scopes. Without any, all users see the screen. */
  scopes?: Scope[];
  /** Where the sidebar shows it. Routes without a group are opened from other screens. */
  group?: "main" | "developers" | "settings";
  icon?: IconName;
  /** Keys that open it, such as "g i". */
  keys?: string;
  /** Name in the bar at the bottom of a phone. Routes without it are under More. */
  phone?: string;
  /** A hook that returns the number in the sidebar. A badge asks for attention. */
  useCount?: () => { count: number | undefined; badge?: boolean };
}

// Files of the screens.
const Approvals = lazy(async () => (await import("../screens/approvals/approvals.tsx")).Approvals);
const Audit = lazy(async () => (await import("../screens/developers/audit.tsx")).Audit);
const Boat = lazy(async () => (await import("../screens/boats/boat.tsx")).Boat);
const Campaign = lazy(async () => (await import("../screens/campaigns/campaign.tsx")).Campaign);
const Campaigns = lazy(async () => (await import("../screens/campaigns/campaigns.tsx")).Campaigns);
const Calendar = lazy(async () => (await import("../screens/calendar/calendar.tsx")).Calendar);
const Contact = lazy(async () => (await import("../screens/contacts/contact.tsx")).Contact);
const Contacts = lazy(async () => (await import("../screens/contacts/contacts.tsx")).Contacts);
const NewDeal = lazy(async () => (await import("../screens/deals/new.tsx")).NewDeal);
const Deal = lazy(async () => (await import("../screens/deals/deal.tsx")).Deal);
const Deals = lazy(async () => (await import("../screens/deals/deals.tsx")).Deals);
const Documents = lazy(async () => (await import("../screens/documents/documents.tsx")).Documents);
const Events = lazy(async () => (await import("../screens/developers/events.tsx")).Events);
const Import = lazy(async () => (await import("../screens/boats/import.tsx")).Import);
const ImportContacts = lazy(async () => (await import("../screens/boats/import.tsx")).ImportContacts);
const Inventory = lazy(async () => (await import("../screens/boats/inventory.tsx")).Inventory);
const Keys = lazy(async () => (await import("../screens/developers/keys.tsx")).Keys);
const Leads = lazy(async () => (await import("../screens/leads/leads.tsx")).Leads);
const Plans = lazy(async () => (await import("../screens/leads/plans.tsx")).Plans);
const Quarantine = lazy(async () => (await import("../screens/leads/quarantine.tsx")).Quarantine);
const Reports = lazy(async () => (await import("../screens/reports/reports.tsx")).Reports);
const Requests = lazy(async () => (await import("../screens/developers/requests.tsx")).Requests);
const Settings = lazy(async () => (await import("../screens/settings/settings.tsx")).Settings);
const Today = lazy(async () => (await import("../screens/today.tsx")).Today);
const WebhookScreen = lazy(async () => (await import("../screens/developers/webhook.tsx")).WebhookScreen);
const Webhooks = lazy(async () => (await import("../screens/developers/webhooks.tsx")).Webhooks);

export const routes: Route[] = [
  { path: "today", title: "Today", screen: Today, group: "main", icon: "home", keys: "g t", phone: "Today" },
  { path: "calendar", title: "Calendar", screen: Calendar, scopes: ["leads:read"], group: "main", icon: "calendar", keys: "g k" },
  {
    path: "boats", title: "Inventory", screen: Inventory, scopes: ["hulls:read"],
    group: "main", icon: "boat", keys: "g i", phone: "Boats", useCount: useInStock,
  },
  { path: "boats/import", title: "Import boats", screen: Import, scopes: ["hulls:write"] },
  { path: "boats/:id/:tab?", title: "Boat", screen: Boat, scopes: ["hulls:read"] },
  {
    path: "leads", title: "Leads", screen: Leads, scopes: ["leads:read"],
    group: "main", icon: "inbox", keys: "g l", phone: "Leads", useCount: useLeadsToDo,
  },
  { path: "leads/quarantine", title: "Quarantine", screen: Quarantine, scopes: ["leads:read"] },
  { path: "leads/plans", title: "Follow-up plans", screen: Plans, scopes: ["leads:read"] },
  { path: "leads/campaigns", title: "Campaigns", screen: Campaigns, scopes: ["leads:read"] },
  { path: "campaigns/:id", title: "Campaign", screen: Campaign, scopes: ["leads:read"] },
  { path: "leads/:id", title: "Lead", screen: Leads, scopes: ["leads:read"] },
  {
    path: "deals", title: "Deals", screen: Deals, scopes: ["deals:read"],
    group: "main", icon: "deal", keys: "g d", phone: "Deals", useCount: useOpenDeals,
  },
  { path: "deals/new", title: "Start a deal", screen: NewDeal, scopes: ["deals:write"] },
  { path: "deals/:id", title: "Deal", screen: Deal, scopes: ["deals:read"] },
  { path: "contacts", title: "Contacts", screen: Contacts, scopes: ["leads:read"], group: "main", icon: "contacts", keys: "g c" },
  { path: "contacts/import", title: "Import contacts", screen: ImportContacts, scopes: ["leads:write"] },
  { path: "contacts/:id", title: "Contact", screen: Contact, scopes: ["leads:read"] },
  { path: "documents", title: "Documents", screen: Documents, scopes: ["deals:read"], group: "main", icon: "document", keys: "g o" },
  {
    path: "approvals", title: "Approvals", screen: Approvals, scopes: ["hulls:write", "leads:write", "deals:write"],
    group: "main", icon: "approve", keys: "g a", useCount: useApprovals,
  },
  { path: "approvals/:id", title: "Approval", screen: Approvals, scopes: ["hulls:write", "leads:write", "deals:write"] },
  { path: "reports", title: "Reports", screen: Reports, scopes: ["hulls:read", "leads:read", "deals:read"], group: "main", icon: "report", keys: "g r" },
  { path: "reports/:name", title: "Reports", screen: Reports, scopes: ["hulls:read", "leads:read", "deals:read"] },
  { path: "developers/keys", title: "API keys", screen: Keys, scopes: ["admin"], group: "developers", icon: "key" },
  { path: "developers/webhooks", title: "Webhooks", screen: Webhooks, scopes: ["webhooks"], group: "developers", icon: "webhook", useCount: useFailing },
  { path: "developers/webhooks/:id", title: "Webhook", screen: WebhookScreen, scopes: ["webhooks"] },
  { path: "developers/events", title: "Events", screen: Events, scopes: ["webhooks"], group: "developers", icon: "event" },
  { path: "developers/requests", title: "Request log", screen: Requests, scopes: ["admin"], group: "developers", icon: "list" },
  { path: "developers/audit", title: "Audit", screen: Audit, scopes: ["admin"], group: "developers", icon: "audit" },
  { path: "settings", title: "Settings", screen: Settings, group: "settings", icon: "settings" },
  { path: "settings/:section", title: "Settings", screen: Settings },
];

/** Reports whether the user can open a screen. */
export function allowed(route: Route): boolean {
  return !route.scopes || route.scopes.some(can);
}

/** Loads the screens that the user can open, while the browser has nothing else to do, unless the line is slow. */
export async function preload(): Promise<void> {
  const { connection } = navigator as { connection?: { saveData: boolean; effectiveType: string } };
  if (connection?.saveData || connection?.effectiveType.match(/[23]g/)) return;
  await quiet();
  for (const route of routes.filter(allowed)) {
    await new Promise((resolve) => ("requestIdleCallback" in window ? requestIdleCallback(resolve) : setTimeout(resolve, 200)));
    await route.screen.preload().catch(() => {}); // it is loaded when it is opened
  }
}
