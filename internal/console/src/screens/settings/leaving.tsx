// Leaving: what acts for a person who is deactivated, and what happens to it.
import { api, type PreviewUserAccessItem, type User } from "../../api.ts";
import type { FormState } from "../../form.tsx";
import { ago } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Select } from "../../parts/field.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { useUserChoices } from "../contacts/people.tsx";
import { openForm, verified, withToken } from "../dialogs.tsx";

/** What can be handed over: its name, and the word for ending it. */
const kinds = {
  api_key: ["API keys", "Revoke"],
  app: ["Apps", "Uninstall"],
  webhook: ["Webhooks", "Disable"],
  push_url: ["Channels that send boats", "Remove the push URL"],
  calendar: ["Calendars of coworkers", "Revoke"],
} as const;

type Kind = keyof typeof kinds;
const all = Object.keys(kinds) as Kind[];

/** Names of what always ends. */
const personal: Record<string, [one: string, many: string]> = {
  session: ["session", "sessions"], login_key: ["command line", "command lines"], assistant: ["assistant", "assistants"], calendar: ["calendar", "calendars"],
};

type Values = Record<Kind | "to", string>;

/** Asks what happens to what acts for a person, and deactivates the person. Everything ends, unless it is handed over. */
export function deactivate(user: User, admin: boolean): void {
  const values: Values = { api_key: "end", app: "end", webhook: "end", push_url: "end", calendar: "end", to: "" };
  void openForm({
    name: "deactivate " + user.id, title: `Deactivate ${user.name}?`, submit: "Deactivate", values,
    save: async (v) => {
      const chosen = all.filter((kind) => v[kind] === "hand_over");
      const handOver = chosen.length > 0 && { hand_over: { user_id: v.to, kinds: chosen } };
      await verified({ operation: "deactivateUser", object_id: user.id }, admin, (token) => api.dealership.deactivateUser(user.id, { revoke_keys: true, ...handOver, ...withToken(token) }));
      changed("user", user.id, "sessions", "api_key", "app", "webhook", "channel");
      toast("Person deactivated.");
    },
    fields: (form) => <Belongings user={user} form={form} />,
  });
}

function Belongings({ user, form }: { user: User; form: FormState<Values> }) {
  const access = useLoad(["user access", user.id], () => api.preview.dealership.getUserAccess(user.id));
  return (
    <>
      <p>{user.name} is signed out everywhere, and can't sign in again. Their leads and deals stay.</p>
      <Loaded load={access} rows={3}>{({ items }) => <Choices user={user} items={items} form={form} />}</Loaded>
    </>
  );
}

function Choices({ user, items, form }: { user: User; items: PreviewUserAccessItem[]; form: FormState<Values> }) {
  const heirs = useUserChoices().filter(([id]) => id !== user.id);
  const shared = all.map((kind) => ({ kind, of: items.filter((i) => i.kind === kind && i.can_hand_over) })).filter(({ of }) => of.length > 0);
  const ends = Object.entries(personal).map(([kind, [one, many]]) => {
    const n = items.filter((i) => i.kind === kind && !i.can_hand_over).length;
    return n > 0 && `${n} ${n === 1 ? one : many}`;
  }).filter(Boolean);
  return (
    <>
      {ends.length > 0 && <p class="sub">Ends now: {ends.join(", ")}.</p>}
      {shared.length > 0 && <p>{user.name} also set up the following. Hand over what the dealership still needs.</p>}
      {shared.map(({ kind, of }) => (
        <div key={kind} class="form">
          <Select form={form} name={kind} label={`${kinds[kind][0]} (${of.length})`} choices={[["end", kinds[kind][1]], ["hand_over", "Hand over"]]} />
          <ul class="link-rows">{of.slice(0, 5).map((i) => <li key={i.id}><span class="cut">{i.name}<small>{i.last_used_at ? `Used ${ago(i.last_used_at)}` : `Created ${ago(i.created_at)}`}</small></span></li>)}</ul>
          {of.length > 5 && <p class="sub">And {of.length - 5} more.</p>}
        </div>
      ))}
      {shared.some(({ kind }) => form.values[kind] === "hand_over") &&
        <Select form={form} name="to" label="New owner" required empty="Choose a person" choices={heirs} hint="They must be able to do what they get." />}
    </>
  );
}
