// The dealership: its name and address, messages, deals, taxes and logo.
import { useEffect, useState } from "preact/hooks";
import { api, type Dealership, type DealershipPatch, type DealershipPatchSettingsInbound } from "../../api.ts";
import { Form, useForm, type Values } from "../../form.tsx";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, NumberField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import { Loaded, Refusal } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { word } from "../../words.ts";
import { Copyable } from "../dialogs.tsx";
import { AddressFields, TaxesField, ZoneField, addressValues, taxValue, toAddress, toTaxes } from "./addresses.tsx";
import { SettingsPage } from "./page.tsx";

export function DealershipSettings() {
  const dealership = useLoad(["dealership"], () => api.dealership.get(), ["dealership"]);
  return (
    <SettingsPage path="dealership">
      <div class="content settings">
        <Loaded load={dealership}>
          {(d) => (
            <>
              <div class="part"><DealershipForm dealership={d} /></div>
              <Logo dealership={d} />
              <Section title="Received messages">
                <div class="form">
                  <div class="field"><span>URL for Twilio</span><Copyable text={d.settings.inbound.twilio_url} /></div>
                  <div class="field"><span>URL for received email</span><Copyable text={d.settings.inbound.email_url} /></div>
                </div>
              </Section>
            </>
          )}
        </Loaded>
      </div>
    </SettingsPage>
  );
}

const lines = ["accessory", "fee", "product", "discount", "rebate"] as const;
const numbers = ["stalled_after_hours", "qualify_at_score", "default_hold_hours", "campaign_messages_per_week"] as const;
const yes = (value: boolean) => (value ? "yes" : "");

function toValues(d: Dealership): Values {
  const s = d.settings;
  return {
    name: d.name, legal_name: d.legal_name ?? "", timezone: d.timezone, ...addressValues("postal_address", d.postal_address),
    "settings.quiet_hours.start": s.quiet_hours.start, "settings.quiet_hours.end": s.quiet_hours.end,
    "settings.sender.email": s.sender.email ?? "", "settings.sender.sms": s.sender.sms ?? "",
    ...Object.fromEntries(numbers.map((n) => [`settings.${n}`, String(s[n])])),
    "settings.inbound.new_senders_per_hour": String(s.inbound.new_senders_per_hour), "settings.inbound.marketplaces": s.inbound.marketplaces.join("\n"), "settings.allowed_apps": s.allowed_apps,
    "settings.reassign_stalled": yes(s.reassign_stalled), "settings.lost_reasons": s.lost_reasons.join("\n"),
    "settings.sold_when": s.sold_when, "settings.allow_delivery_before_funding": yes(s.allow_delivery_before_funding),
    "settings.default_tax_rate_percent": s.default_tax_rate_percent, "settings.default_taxes": taxValue(s.default_taxes),
    "settings.trade_tax_credit": yes(s.trade_tax_credit),
    ...Object.fromEntries(lines.map((l) => [`settings.taxable_lines.${l}`, yes(s.taxable_lines[l])])),
  };
}

/** The patch for what changed. Values that belong together are sent together. */
function toPatch(v: Values, c: Partial<Values>): DealershipPatch {
  const has = (start: string) => Object.keys(c).some((name) => name.startsWith(start));
  const on = (name: string) => v["settings." + name] === "yes";
  const settings = {
    ...Object.fromEntries(numbers.filter((n) => has("settings." + n)).map((n) => [n, Number(v["settings." + n])])),
    ...(has("settings.quiet_hours") && { quiet_hours: { start: v["settings.quiet_hours.start"]!, end: v["settings.quiet_hours.end"]! } }),
    ...(has("settings.sender") && { sender: { email: v["settings.sender.email"] || null, sms: v["settings.sender.sms"] || null } }),
    ...(has("settings.reassign") && { reassign_stalled: on("reassign_stalled") }),
    ...(has("settings.lost_reasons") && { lost_reasons: (v["settings.lost_reasons"] ?? "").split("\n").map((l) => l.trim()).filter(Boolean) }),
    ...(has("settings.allowed_apps") && { allowed_apps: v["settings.allowed_apps"] as Dealership["settings"]["allowed_apps"] }),
    ...(has("settings.inbound") && { inbound: { new_senders_per_hour: Number(v["settings.inbound.new_senders_per_hour"]), marketplaces: toLines(v["settings.inbound.marketplaces"]) } as DealershipPatchSettingsInbound }),
    ...(has("settings.sold_when") && { sold_when: v["settings.sold_when"] as "contracted" | "funded" }),
    ...(has("settings.allow_delivery") && { allow_delivery_before_funding: on("allow_delivery_before_funding") }),
    ...(has("settings.default_tax_rate") && { default_tax_rate_percent: v["settings.default_tax_rate_percent"] || "0" }),
    ...(has("settings.default_taxes") && { default_taxes: toTaxes(v["settings.default_taxes"]) }),
    ...(has("settings.trade") && { trade_tax_credit: on("trade_tax_credit") }),
    ...(has("settings.taxable") && { taxable_lines: Object.fromEntries(lines.map((l) => [l, on("taxable_lines." + l)])) as unknown as Dealership["settings"]["taxable_lines"] }),
  };
  return {
    ...(c["name"] !== undefined && { name: c["name"] }), ...(c["timezone"] !== undefined && { timezone: c["timezone"] }),
    ...(c["legal_name"] !== undefined && { legal_name: c["legal_name"] || null }),
    ...(has("postal_address") && { postal_address: toAddress("postal_address", v) }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

function toLines(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter(Boolean);
}

function DealershipForm({ dealership: d }: { dealership: Dealership }) {
  const form = useForm<Values>({
    name: "dealership", version: d.version, values: toValues(d),
    save: async (v, c, options) => {
      await api.dealership.update(toPatch(v, c), options);
      changed("dealership");
      toast("Settings saved.");
    },
    reload: async () => {
      const now = await api.dealership.get();
      return { values: toValues(now), version: now.version };
    },
  });
  const { sender } = d.settings;
  const s = (name: string) => "settings." + name;
  return (
    <Form form={form} submit="Save settings">
      <fieldset><legend>Dealership</legend>
        <div class="form-row">
          <TextField form={form} name="name" label="Name" required />
          <TextField form={form} name="legal_name" label="Legal name" hint="Printed on documents." />
          <ZoneField form={form} />
        </div>
      </fieldset>
      <fieldset><legend>Postal address</legend><AddressFields form={form} prefix="postal_address" /></fieldset>
      <fieldset><legend>Messages</legend>
        <div class="form-row">
          <TextField form={form} name={s("sender.email")} label="Sender of email" type="email" hint={!sender.email ? "A new address receives a link to verify it." : sender.email_verified ? "Verified." : "Not verified yet. Open the link in the email."} />
          <TextField form={form} name={s("sender.sms")} label="Text message number" type="tel" />
          <TextField form={form} name={s("quiet_hours.start")} label="Quiet hours from" type={"time" as "text"} required hint="In the recipient's time zone." />
          <TextField form={form} name={s("quiet_hours.end")} label="Quiet hours to" type={"time" as "text"} required />
          <NumberField form={form} name={s("inbound.new_senders_per_hour")} label="New senders in an hour" required hint="Messages from more new senders wait in quarantine." />
          <NumberField form={form} name={s("campaign_messages_per_week")} label="Marketing messages per week" required hint="Campaigns leave out a person who got more." />
        </div>
        <TextArea form={form} name={s("inbound.marketplaces")} label="Marketplaces and forms" rows={3} hint="Email addresses or domains that are never a customer, one per line. Slipway reads the customer from what they forward." />
      </fieldset>
      <fieldset><legend>Leads and deals</legend>
        <div class="form-row">
          <NumberField form={form} name={s("stalled_after_hours")} label="A lead is stalled after" unit="hours" required />
          <NumberField form={form} name={s("qualify_at_score")} label="A lead is qualified at score" required />
          <NumberField form={form} name={s("default_hold_hours")} label="Length of a hold" unit="hours" required />
          <Select form={form} name={s("sold_when")} label="A boat is sold when the deal is" required choices={[["contracted", "Contracted"], ["funded", "Funded"]]} />
        </div>
        <CheckField form={form} name={s("reassign_stalled")} label="A stalled lead goes to the next person in turn" />
        <TextArea form={form} name={s("lost_reasons")} label="Why leads are lost" rows={4} hint="The reasons to choose from when a lead is closed, one per line." />
        <CheckField form={form} name={s("allow_delivery_before_funding")} label="Boats can be delivered before the deal is funded" />
      </fieldset>
      <fieldset><legend>Apps</legend>
        <Select form={form} name={s("allowed_apps")} label="People can connect" required choices={[["registered", "Registered apps only"], ["owner_allowed", "Also apps without registration, after an owner"]]}
          hint="Most AI assistants are not registered. They act for one person, and an owner connects each one first." />
      </fieldset>
      <TaxesField form={form} name={s("default_taxes")} hint="For new deals, unless the location has its own taxes." />
      <div class="form-row">
        <NumberField form={form} name={s("default_tax_rate_percent")} label="Tax rate, if there are no taxes above" unit="%" />
      </div>
      <fieldset class="checklist"><legend>Taxable</legend>
        {lines.map((l) => <CheckField key={l} form={form} name={s("taxable_lines." + l)} label={l === "discount" || l === "rebate" ? `A ${l} reduces the taxable amount` : `${word(l)} items`} />)}
        <CheckField form={form} name={s("trade_tax_credit")} label="Trade-ins reduce the taxable amount" />
      </fieldset>
    </Form>
  );
}

function Logo({ dealership: d }: { dealership: Dealership }) {
  const [busy, setBusy] = useState(false);
  const logo = useLoad(d.logo_sha256 ? ["logo", d.logo_sha256] : undefined, async () => (await api.preview.dealership.getLogo()).blob());
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!logo.data) return setUrl(undefined);
    const made = URL.createObjectURL(logo.data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [logo.data]);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > 5 << 20) throw new Refusal("The logo must be 5 MB or less.");
    await api.preview.dealership.replaceLogo(file);
    changed("dealership");
    toast("Logo saved.");
  };
  const remove = async () => {
    if (!(await confirm({ title: "Remove the logo?", text: "Documents that were issued keep it.", action: "Remove logo", danger: true }))) return;
    await api.preview.dealership.deleteLogo();
    changed("dealership");
    toast("Logo removed.");
  };
  return (
    <Section title="Logo">
      <div class="logo">
        {url ? <img src={url} alt="Logo of the dealership" /> : <span class="sub">No logo yet. It is printed on documents.</span>}
        <label class="btn" aria-busy={busy}>
          <Icon name="upload" />{d.logo_sha256 ? "Replace logo" : "Upload logo"}
          <input class="vh" type="file" accept="image/png,image/jpeg" onChange={(e) => {
            setBusy(true);
            void upload(e.currentTarget.files?.[0]).catch(toastError).finally(() => setBusy(false));
          }} />
        </label>
        {d.logo_sha256 && <Button onClick={() => void remove().catch(toastError)}>Remove</Button>}
      </div>
    </Section>
  );
}
