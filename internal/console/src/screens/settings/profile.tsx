// The profile: who the user is, and how the console looks and works for them.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { dateTime } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Facts, Section } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { prefer, preference } from "../../prefs.ts";
import { can, session } from "../../session.ts";
import { word } from "../../words.ts";
import { confirm } from "../../parts/dialog.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { showSecret } from "../dialogs.tsx";
import { SettingsPage } from "./page.tsx";

/** Creates the address of the user's calendar. The earlier one stops working. */
async function feed(): Promise<void> {
  if (!(await confirm({ title: "Get a new address?", text: "If you already have one, it stops working.", action: "Get address" }))) return;
  const { url } = await api.preview.appointments.createUserCalendar(session.user.id);
  await showSecret("Your calendar", "Add it to your calendar app as a subscription.", [["Address", url]]);
}

async function revoke(): Promise<void> {
  if (!(await confirm({ title: "Revoke your calendar address?", text: "Calendars that subscribe to it stop updating.", action: "Revoke address", danger: true }))) return;
  await api.preview.appointments.deleteUserCalendar(session.user.id);
  toast("Calendar address revoked.");
}

/** 7:00 AM for 07:00. */
function clock(time: string): string {
  const hour = Number(time.slice(0, 2));
  return `${hour % 12 || 12}${time.slice(2)} ${hour < 12 ? "AM" : "PM"}`;
}

const mornings = Array.from({ length: 19 }, (_, n) => 300 + n * 30).map((m) => `${String(Math.floor(m / 60)).padStart(2, "0")}:${String(m % 60).padStart(2, "0")}`);

/** The email each morning: whether the user gets it, and when. */
function Summary() {
  const summary = useLoad(["daily summary"], () => api.preview.dealership.getDailySummary(session.user.id), ["user"]);
  const set = async (enabled: boolean, send_at: string) => {
    summary.replace(await api.preview.dealership.setDailySummary(session.user.id, { enabled, send_at }));
    toast(enabled ? `You get the summary at ${clock(send_at)}.` : "You don't get the summary any more.");
  };
  return (
    <Section title="Daily summary">
      <Loaded load={summary} rows={2}>
        {(s) => (
          <>
            <label class="check-line">
              <input type="checkbox" checked={s.enabled} onChange={(e) => void set(e.currentTarget.checked, s.send_at).catch(toastError)} />
              <span>Email me each morning what needs me<small>Who waits for an answer, your appointments, tasks, holds that end and deals that need something. On days without any, you get no email.</small></span>
            </label>
            {s.enabled && (
              <label class="field">At
                <select value={s.send_at} onChange={(e) => void set(true, e.currentTarget.value).catch(toastError)}>
                  {[...new Set([...mornings, s.send_at])].sort().map((time) => <option key={time} value={time}>{clock(time)}</option>)}
                </select>
                <span class="field-hint">{s.next_at ? `The next one is due ${dateTime(s.next_at)}, in the time zone of ${session.dealership.name}.` : ""}</span>
              </label>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

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
        {can("leads:read") && (
          <Section title="Calendar">
            <p class="sub">Subscribe to your appointments in your phone's calendar or computer. Anyone with the address can read them.</p>
            <div class="form-end start">
              <Button onClick={() => void feed().catch(toastError)}>New address</Button>
              <Button onClick={() => void revoke().catch(toastError)}>Revoke address</Button>
            </div>
          </Section>
        )}
        <Summary />
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
