// The profile: who the user is, and how the console looks and works for them.
import { useState } from "preact/hooks";
import { ButtonLink } from "../../parts/button.tsx";
import { Facts, Section } from "../../parts/layout.tsx";
import { prefer, preference } from "../../prefs.ts";
import { session } from "../../session.ts";
import { word } from "../../words.ts";
import { SettingsPage } from "./page.tsx";

export function ProfileSettings() {
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
