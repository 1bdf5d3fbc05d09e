// The parts of the settings, and the frame that they share.
import type { ComponentChildren } from "preact";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href } from "../../router.ts";
import { can, type Scope } from "../../session.ts";

export type Part = "dealership" | "deals" | "locations" | "people" | "roles" | "channels" | "sso" | "apps" | "backups" | "profile";

const parts: Array<{ path: Part; title: string; scope?: Scope }> = [
  { path: "dealership", title: "Dealership", scope: "admin" },
  { path: "deals", title: "Deals", scope: "admin" },
  { path: "locations", title: "Locations", scope: "admin" },
  { path: "people", title: "People", scope: "admin" },
  { path: "roles", title: "Roles", scope: "admin" },
  { path: "channels", title: "Channels", scope: "hulls:write" },
  { path: "sso", title: "Single sign-on", scope: "admin" },
  { path: "apps", title: "Apps", scope: "admin" },
  { path: "backups", title: "Backups", scope: "admin" },
  { path: "profile", title: "Profile" },
];

/** Returns the parts that the scopes of the user allow. */
export const shownParts = () => parts.filter((p) => !p.scope || can(p.scope));

/** The frame of a part: the heading, the tabs, and an optional pane next to it. */
export function SettingsPage(props: { path: Part; actions?: ComponentChildren; peek?: ComponentChildren; children: ComponentChildren }) {
  const title = parts.find((p) => p.path === props.path)!.title;
  return (
    <Sheet {...(!!props.peek && { kind: "with-peek" })}>
      <Page title={title} back={{ href: href("settings"), title: "Settings" }} actions={props.actions}>
        <Tabs label="Settings" tabs={shownParts().map((p) => ({ title: p.title, href: href("settings/" + p.path), current: p.path === props.path }))} />
        {props.children}
      </Page>
      {props.peek}
    </Sheet>
  );
}
