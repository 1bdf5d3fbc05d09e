// Channels: marketplaces and websites that list the boats.
import { useEffect, useRef } from "preact/hooks";
import { api, type Channel, type ChannelCreate, type ChannelFormat, type ChannelKind, type HullCondition, type PreviewChannel } from "../../api.ts";
import type { FormState } from "../../form.tsx";
import { count, date } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Section } from "../../parts/layout.tsx";
import { Empty } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, setQuery, usePlace } from "../../router.ts";
import { options, word } from "../../words.ts";
import { sayReason, useLocations } from "../boats/shared.ts";
import { CheckList, split } from "../choices.tsx";
import { openForm, showSecret } from "../dialogs.tsx";
import { SettingsPage } from "./page.tsx";

export function ChannelSettings() {
  const { query } = usePlace();
  const channels = useList(["channel list"], (page) => api.hulls.listChannels(page), ["channel"]);
  useKeys({ c: () => void edit() });
  const action = <Button kind="primary" icon="plus" onClick={() => void edit()}>Add channel</Button>;
  const left = channels.data?.find((c) => c.id === query.get("left_out"));
  return (
    <SettingsPage path="channels" actions={action}>
      <Table label="Channels" list={channels} columns={columns} current={query.get("row") ?? undefined} onMove={(c) => setQuery({ row: c.id })} onOpen={(c) => void edit(c)}
        empty={<NoRows filtered={false} text="No channels yet. A channel lists your boats on a marketplace or a website." clear={() => {}} action={action} />} />
      {left && <LeftOut channel={left} />}
    </SettingsPage>
  );
}

/** The boats that a channel doesn't list, with all reasons. */
function LeftOut({ channel: c }: { channel: Channel }) {
  const list = useList(["left out", c.id], (page) => api.preview.hulls.listLeftOut(c.id, page), ["channel", "hull"]);
  return (
    <Section title={`Boats that ${c.name} leaves out`} action={<Button onClick={() => setQuery({ left_out: undefined })}>Close</Button>}>
      {list.data?.length === 0 ? <Empty text="None. All boats in stock are listed." /> : (
        <table class="plain">
          <thead><tr><th scope="col">Boat</th><th scope="col">Why</th></tr></thead>
          <tbody>{list.data?.map((o) => <tr key={o.hull_id}><td><a href={href("boats/" + o.hull_id + "/listings")}>{o.title}</a><small>{o.stock_number}</small></td><td class="wrap">{o.reasons.map(sayReason).join(" ")}</td></tr>)}</tbody>
        </table>
      )}
      {list.hasMore && <Button onClick={list.more}>Show more</Button>}
    </Section>
  );
}

const columns: Array<Column<Channel>> = [
  { title: "Name", wide: true, phone: "main", cell: (c) => <div class="t"><b><button type="button" class="link-title" onClick={() => void edit(c)}>{c.name}</button></b><small>{word(c.kind)} · {c.format.toUpperCase()}</small></div> },
  { title: "Boats", cell: (c) => <span class="sub">{filterText(c)}</span> },
  { title: "Delivery", cell: (c) => <span class="sub">{c.push_url ? `Sent to ${new URL(c.push_url).host}` : c.feed_url_created_at ? `Feed URL, created ${date(c.feed_url_created_at)}` : "Feed with an API key"}</span> },
  { title: "Created by", cell: (c) => <span class="sub">{c.created_by.label}</span> },
  { title: "Listing", phone: "bottom", cell: (c) => <Status value={c.auto_publish ? "active" : "paused"} label={c.auto_publish ? "Automatic" : "Paused"} tone={c.auto_publish ? "green" : "amber"} /> },
  { title: "", align: "right", phone: "top", cell: (c) => <ChannelMenu channel={c} /> },
];

function filterText({ filter, rules }: Channel): string {
  const needs = [rules.photos_min ? count(rules.photos_min, "photo") : "", rules.price && "a price", rules.hin && "a HIN", rules.boat_class && "a class", rules.description_min && "a description"].filter(Boolean);
  const parts = [needs.length > 0 && "with " + needs.join(", "), filter.conditions?.map(word).join(", "), filter.price_min ? `from $${filter.price_min.toLocaleString("en-US")}` : "", filter.location_ids?.length ? "some locations" : ""];
  return parts.filter(Boolean).join(", ") || "All boats";
}

function ChannelMenu({ channel: c }: { channel: Channel }) {
  return (
    <Menu class="btn quiet square" label={`Actions for ${c.name}`} align="end" button={<Icon name="more" />} items={[
      { title: "Edit", icon: "edit", onClick: () => void edit(c) },
      { title: "Show boats that are left out", icon: "boat", onClick: () => setQuery({ left_out: c.id }) },
      { title: c.auto_publish ? "Pause automatic listing" : "List automatically", icon: c.auto_publish ? "hold" : "check", onClick: () => void pause(c).catch(toastError) },
      { title: c.feed_url_created_at ? "Replace feed URL" : "Create feed URL", icon: "undo", onClick: () => void rotateUrl(c).catch(toastError) },
      !!c.feed_url_created_at && { title: "Revoke feed URL", icon: "blocked", onClick: () => void revokeUrl(c).catch(toastError) },
      !!c.push_url && { title: "Rotate signing secret", icon: "key", onClick: () => void rotateSecret(c).catch(toastError) },
      { title: "Remove channel", icon: "trash", onClick: () => void remove(c).catch(toastError) },
    ]} />
  );
}

function done(message: string): void {
  changed("channel");
  toast(message);
}

/** Shows the secrets that a response has. */
async function showSecrets(channel: PreviewChannel | Channel): Promise<void> {
  if (!channel.feed_url && !channel.signing_secret) return;
  await showSecret(channel.name, "Store this now. Slipway can't show it again. Anyone with the feed URL can read the feed.", [
    ["Feed URL", channel.feed_url], ["Signing secret", channel.signing_secret],
  ]);
}

async function pause(channel: Channel): Promise<void> {
  await api.preview.hulls.updateChannel(channel.id, { auto_publish: !channel.auto_publish });
  done(channel.auto_publish ? "Paused. Boats that are listed stay listed." : "Boats that match are listed automatically.");
}

async function rotateUrl(channel: Channel): Promise<void> {
  const question = { title: `Replace the feed URL of ${channel.name}?`, text: "The current URL stops working immediately.", action: "Replace feed URL", danger: true };
  if (channel.feed_url_created_at && !(await confirm(question))) return;
  const next = await api.preview.hulls.rotateChannelFeedUrl(channel.id);
  changed("channel");
  await showSecrets(next);
}

async function revokeUrl(channel: Channel): Promise<void> {
  if (!(await confirm({ title: `Revoke the feed URL of ${channel.name}?`, text: "It stops working immediately. The feed can still be read with an API key.", action: "Revoke feed URL", danger: true }))) return;
  await api.preview.hulls.revokeChannelFeedUrl(channel.id);
  done("Feed URL revoked.");
}

async function rotateSecret(channel: Channel): Promise<void> {
  if (!(await confirm({ title: `Rotate the signing secret of ${channel.name}?`, text: "Listings are signed with the old and the new secret for 7 days.", action: "Rotate secret" }))) return;
  const next = await api.preview.hulls.rotateChannelSecret(channel.id);
  changed("channel");
  await showSecrets(next);
}

async function remove(channel: Channel): Promise<void> {
  if (!(await confirm({ title: `Remove ${channel.name}?`, text: "The boats are withdrawn from it, and its feed stops working.", action: "Remove channel", danger: true }))) return;
  await api.hulls.deleteChannel(channel.id);
  done("Channel removed.");
}

type ChannelValues = Record<"name" | "kind" | "format" | "push_url" | "listing_url" | "credential_header" | "auto_publish" | "filter.conditions" | "filter.location_ids" | "filter.price_min" | "filter.pre_orders" | "party_number" | "rules.photos_min" | "rules.description_min" | "rules.price" | "rules.hin" | "rules.boat_class", string>;

function toValues(c?: Channel): ChannelValues {
  return {
    name: c?.name ?? "", kind: c?.kind ?? "website", format: c?.format ?? "json", push_url: c?.push_url ?? "", listing_url: c?.listing_url ?? "",
    credential_header: c?.credential_header ?? "", auto_publish: c && !c.auto_publish ? "" : "yes",
    "filter.conditions": c?.filter.conditions?.join(" ") ?? "", "filter.location_ids": c?.filter.location_ids?.join(" ") ?? "",
    "filter.price_min": c?.filter.price_min ? String(c.filter.price_min) : "", "filter.pre_orders": c?.filter.pre_orders ? "yes" : "",
    party_number: c?.party_number ?? "", "rules.photos_min": String(c?.rules.photos_min ?? ""), "rules.description_min": String(c?.rules.description_min ?? ""),
    "rules.price": c?.rules.price ? "yes" : "", "rules.hin": c?.rules.hin ? "yes" : "", "rules.boat_class": c?.rules.boat_class ? "yes" : "",
  };
}

/** Adds or edits a channel. The credential is not part of the form, so that the browser doesn't keep it. */
async function edit(channel?: Channel): Promise<void> {
  const credential = { current: "" };
  const saved = await openForm({
    name: channel ? "channel " + channel.id : "new channel", title: channel ? `Edit ${channel.name}` : "Add channel", submit: channel ? "Save" : "Add channel", wide: true,
    ...(channel && { version: channel.version }),
    values: toValues(channel),
    save: async (v, _, options) => {
      const body: ChannelCreate = {
        name: v.name, kind: v.kind as ChannelKind, format: v.format as ChannelFormat, push_url: v.push_url || null, listing_url: v.listing_url || null,
        party_number: v.party_number || null,
        rules: {
          photos_min: Number(v["rules.photos_min"]) || null, description_min: Number(v["rules.description_min"]) || null,
          price: v["rules.price"] === "yes", hin: v["rules.hin"] === "yes", boat_class: v["rules.boat_class"] === "yes",
        },
        auto_publish: v.auto_publish === "yes", ...(v.push_url && { credential_header: v.credential_header || null }), ...(credential.current && { credential: credential.current }),
        filter: {
          ...channel?.filter, conditions: split(v["filter.conditions"]) as HullCondition[], location_ids: split(v["filter.location_ids"]),
          price_min: v["filter.price_min"] ? Number(v["filter.price_min"]) : null, pre_orders: v["filter.pre_orders"] === "yes",
        },
      };
      const lowest = body.filter?.price_min;
      const patch = { ...body, filter: { ...body.filter, price_min: lowest ? { amount: lowest * 100, currency: "USD" as const } : null } };
      const result: Channel | PreviewChannel = channel ? await api.preview.hulls.updateChannel(channel.id, patch, options) : await api.hulls.createChannel(body);
      done("Channel saved.");
      return result;
    },
    fields: (form) => <Fields form={form} credential={credential} hasCredential={!!channel?.credential_set_at} isNew={!channel} />,
  });
  if (saved) await showSecrets(saved);
}

const marketplaces = ["boat_trader", "yachtworld", "boats_com"];

function Fields({ form, credential, hasCredential, isNew }: { form: FormState<ChannelValues>; credential: { current: string }; hasCredential: boolean; isNew: boolean }) {
  const locations = [...useLocations().values()].map((l): [string, string] => [l.id, l.name]);
  const id = form.id + "-credential";
  const isMarketplace = marketplaces.includes(form.values.kind) || ["boatstream", "openmarine"].includes(form.values.format);
  const suggested = useRef(!isNew);
  useEffect(() => { // a new boat isn't on a marketplace with no photos
    if (suggested.current || !marketplaces.includes(form.values.kind)) return;
    suggested.current = true;
    form.set("rules.photos_min", "3");
    form.set("rules.price", "yes");
  }, [form.values.kind]);
  return (
    <>
      <div class="form-row">
        <TextField form={form} name="name" label="Name" required />
        <Select form={form} name="kind" label="Kind" required choices={options(["website", "boat_trader", "yachtworld", "boats_com", "custom"])} />
        <Select form={form} name="format" label="Format" required choices={[["json", "JSON (schema.org)"], ["xml", "XML"], ["csv", "CSV"], ["openmarine", "OpenMarine"], ["boatstream", "BoatStream"]]} />
      </div>
      {isMarketplace && <TextField form={form} name="party_number" label="Your number at the marketplace" hint="Boats Group calls it the party ID." />}
      <TextField form={form} name="listing_url" label="Page of a boat on your website" type="url" placeholder="https://example.com/boats/{stock_number}" />
      <TextField form={form} name="push_url" label="Send listings to" type="url" hint="Leave it empty if the partner reads the feed." />
      {form.values.push_url && (
        <div class="form-row">
          <div class="field"><label for={id}>Credential of the partner<span class="optional"> optional</span></label><input id={id} type="password" autocomplete="off" placeholder={hasCredential ? "Stored" : ""} onInput={(e) => void (credential.current = e.currentTarget.value)} /></div>
          <TextField form={form} name="credential_header" label="Header of the credential" placeholder="Authorization" />
        </div>
      )}
      <CheckField form={form} name="auto_publish" label="List all boats that match automatically" />
      <CheckList form={form} name="filter.conditions" label="Only these conditions" choices={options(["new", "used", "demo"])} />
      {locations.length > 1 && <CheckList form={form} name="filter.location_ids" label="Only these locations" choices={locations} />}
      <div class="form-row"><MoneyField form={form} name="filter.price_min" label="Lowest price" /></div>
      <div class="form-row">
        <TextField form={form} name="rules.photos_min" label="Photos a boat needs" placeholder="None" />
        <TextField form={form} name="rules.description_min" label="Characters its description needs" placeholder="None" />
      </div>
      <CheckField form={form} name="rules.price" label="Only boats with a price" />
      <CheckField form={form} name="rules.hin" label="Only boats with a HIN" />
      <CheckField form={form} name="rules.boat_class" label="Only boats with a class" />
      <CheckField form={form} name="filter.pre_orders" label="Also list boats that are on order or in transit" />
    </>
  );
}
