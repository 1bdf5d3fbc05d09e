// Settings: a page for each part. Users see the parts that their scopes allow.
import type { ComponentChildren, FunctionComponent } from "preact";
import { useState } from "preact/hooks";
import { ButtonLink } from "../parts/button.tsx";
import { Facts, Page, Section, Sheet } from "../parts/layout.tsx";
import { Empty } from "../parts/state.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { prefer, preference } from "../prefs.ts";
import { href } from "../router.ts";
import { can, session, type Scope } from "../session.ts";
import { word } from "../words.ts";
import { AppSettings } from "./settings-apps.tsx";
import { ChannelSettings } from "./settings-channels.tsx";
import { DealershipSettings } from "./settings-dealership.tsx";
import { LocationSettings } from "./settings-locations.tsx";
import { PeopleSettings } from "./settings-people.tsx";
import { RoleSettings } from "./settings-roles.tsx";
import { SsoSettings } from "./settings-sso.tsx";

const parts: Array<{ path: string; title: string; scope?: Scope; content: FunctionComponent }> = [
  { path: "dealership", title: "Dealership", scope: "admin", content: DealershipSettings },
  { path: "locations", title: "Locations", scope: "admin", content: LocationSettings },
  { path: "people", title: "People", scope: "admin", content: PeopleSettings },
  { path: "roles", title: "Roles", scope: "admin", content: RoleSettings },
  { path: "channels", title: "Channels", scope: "hulls:write", content: ChannelSettings },
  { path: "sso", title: "Single sign-on", scope: "admin", content: SsoSettings },
  { path: "apps", title: "Apps", scope: "admin", content: AppSettings },
  { path: "profile", title: "Profile", content: Profile },
];

export function Settings({ section }: { section?: string }) {
  const shown = parts.filter((p) => !p.scope || can(p.scope));
  const part = shown.find((p) => p.path === (section ?? shown[0]!.path));
  if (!part) return <Sheet><Page title="Page not found"><Empty text="This page doesn't exist, or you don't have access." /></Page></Sheet>;
  return <part.content key={part.path} />;
}

/** The frame of a part: the heading, the tabs, and an optional pane next to it. */
export function SettingsPage(props: { path: string; actions?: ComponentChildren; peek?: ComponentChildren; children: ComponentChildren }) {
  const shown = parts.filter((p) => !p.scope || can(p.scope));
  const title = parts.find((p) => p.path === props.path)!.title;
  return (
    <Sheet {...(!!props.peek && { kind: "with-peek" })}>
      <Page title={title} back={{ href: href("settings"), title: "Settings" }} actions={props.actions}>
        <Tabs label="Settings" tabs={shown.map((p) => ({ title: p.title, href: href("settings/" + p.path), current: p.path === props.path }))} />
        {props.children}
      </Page>
      {props.peek}
    </Sheet>
  );
}

function Profile() {
  const [, render] = useState(0);
  const choice = <K extends "theme" | "units">(name: K, label: string, choices: Array<[ReturnType<typeof preference<K>>, string]>) => (
    <div class="mode" role="group" aria-label={label}>
      {choices.map(([value, title]) => (
        <button key={value} type="button" aria-pressed={preference(name) === value} onClick={() => (prefer(name, value), render((n) => n + 1))}>{title}</button>
      ))}
    </div>
  );
  return (
    <SettingsPage path="profile">
      <div class="content">
        <Section title="You" action={<ButtonLink small href={session.account_url}>Open your account</ButtonLink>}>
          <Facts facts={[["Name", session.user.name], ["Email", session.user.email], ["Roles", session.roles.map(word).join(", ")]]} />
          <p class="sub">Your account has your password, two-factor methods and sessions.</p>
        </Section>
        <Section title="Theme">{choice("theme", "Theme", [["system", "System"], ["light", "Light"], ["dark", "Dark"]])}</Section>
        <Section title="Units">{choice("units", "Units", [["imperial", "Feet"], ["metric", "Meters"]])}</Section>
        <Section title="Keyboard">
          <label class="check-line">
            <input type="checkbox" checked={preference("shortcuts")} onChange={(e) => (prefer("shortcuts", e.currentTarget.checked), render((n) => n + 1))} />
            <span>Single letters are shortcuts<small>Press ? to see them.</small></span>
          </label>
        </Section>
      </div>
    </SettingsPage>
  );
}
