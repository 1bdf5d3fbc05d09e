// The form of a new campaign: who gets it, and what they get.
import { api, type PreviewSegmentFilter } from "../../api.ts";
import type { FormState } from "../../form.tsx";
import { changed, useLoad } from "../../load.ts";
import { MoneyField, NumberField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { href, navigate } from "../../router.ts";
import { word } from "../../words.ts";
import { CheckList, split } from "../choices.tsx";
import { openForm } from "../dialogs.tsx";

const empty = {
  name: "", segment_id: "", statuses: "", sources: "", boat_classes: "", location_id: "", "filter.no_contact_for_days": "", "filter.budget_min": "", "filter.budget_max": "",
  template_id: "", channel: "sms", subject: "", body: "",
};
type CampaignValues = typeof empty;

/** Asks for a new campaign and opens it. */
export async function createCampaign(): Promise<void> {
  const created = await openForm({ name: "new campaign", title: "New campaign", submit: "Create draft", wide: true, values: empty, save, fields: (form) => <Fields form={form} /> });
  if (!created) return;
  changed("campaign");
  navigate(href("campaigns/" + created.id));
}

async function save(v: CampaignValues) {
  const { campaigns } = api.preview;
  const template = v.template_id || (await campaigns.createMessageTemplate({ name: v.name, channel: v.channel as "sms", ...(v.channel === "email" && { subject: v.subject }), body: v.body })).id;
  const segment = v.segment_id || (await campaigns.createLeadSegment({ name: v.name, filter: filterOf(v) })).id;
  return campaigns.create({ name: v.name, segment_id: segment, template_id: template });
}

function filterOf(v: CampaignValues): PreviewSegmentFilter {
  const amount = (text: string) => (text ? { amount: Math.round(Number(text) * 100), currency: "USD" } : null);
  return {
    statuses: split(v.statuses), sources: split(v.sources), boat_classes: split(v.boat_classes), location_ids: split(v.location_id),
    budget_min: amount(v["filter.budget_min"]), budget_max: amount(v["filter.budget_max"]),
    no_contact_for_days: v["filter.no_contact_for_days"] ? Number(v["filter.no_contact_for_days"]) : null, contact_in_days: null,
  } as PreviewSegmentFilter;
}

const statuses = ["new", "contacted", "qualified", "working", "lost", "converted"];
const sources = ["web", "email", "sms", "phone", "walk_in", "referral", "marketplace", "event", "import", "other"];
const classes = ["power-center", "power-bowrider", "power-dualconsole", "power-pontoon", "power-cruiser", "power-saltfish", "power-trawler", "sail-cruiser", "sail-catamaran"];

function Fields({ form }: { form: FormState<CampaignValues> }) {
  const segments = useLoad(["segments"], () => api.preview.campaigns.listLeadSegments({ limit: 100 }), ["lead_segment"]);
  const templates = useLoad(["templates"], () => api.preview.campaigns.listMessageTemplates({ limit: 100 }), ["message_template"]);
  const locations = useLoad(["location list", "all"], () => api.dealership.listLocations({ limit: 100 }), ["location"]);
  const { segment_id, template_id, channel } = form.values;
  return (
    <>
      <TextField form={form} name="name" label="Name" required autofocus />
      <Select form={form} name="segment_id" label="Who gets it" empty="A new segment, with the conditions below" choices={(segments.data?.data ?? []).map((s) => [s.id, s.name])} />
      {!segment_id && (
        <>
          <CheckList form={form} name="statuses" label="Status" hint="Leave empty for all open leads." choices={statuses.map((s) => [s, word(s)])} />
          <CheckList form={form} name="sources" label="Source" hint="Leave empty for all sources." choices={sources.map((s) => [s, word(s)])} />
          <CheckList form={form} name="boat_classes" label="Boat class" hint="Leave empty for all leads, with or without a boat." choices={classes.map((c) => [c, word(c)])} />
          <Select form={form} name="location_id" label="Location" empty="All locations" choices={(locations.data?.data ?? []).map((l) => [l.id, l.name])} />
          <MoneyField form={form} name="filter.budget_min" label="Budget from" />
          <MoneyField form={form} name="filter.budget_max" label="Budget to" />
          <NumberField form={form} name="filter.no_contact_for_days" label="No contact for" unit="days" />
        </>
      )}
      <Select form={form} name="template_id" label="Message" empty="A new text, below" choices={(templates.data?.data ?? []).map((t) => [t.id, `${t.name} (${word(t.channel)})`])} />
      {!template_id && (
        <>
          <Select form={form} name="channel" label="Channel" choices={[["sms", "Text message"], ["email", "Email"]]} />
          {channel === "email" && <TextField form={form} name="subject" label="Subject" required />}
          <TextArea form={form} name="body" label="Text" required rows={5} hint="Places: {first_name|there}, {boat|your boat}, {seller|us}, {dealership}. The words after the bar are for people without the value." />
        </>
      )}
    </>
  );
}
