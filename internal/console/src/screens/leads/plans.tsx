// Follow-up plans: what happens on which day after a new lead arrives.
import { api, type LeadSource, type PlanStepKind, type PreviewFollowUpPlan } from "../../api.ts";
import type { FormState, Values } from "../../form.tsx";
import { count } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList } from "../../load.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, NumberField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href } from "../../router.ts";
import { can } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { word } from "../../words.ts";
import { CheckList, split } from "../choices.tsx";
import { fromRows, rowsOf, toRows } from "../deals/rows.ts";
import { openForm } from "../dialogs.tsx";
import { sources } from "./forms.tsx";

const { campaigns } = api.preview;
const writes = () => can("leads:write");

// leads/plans
export function Plans() {
  const list = useList(["follow-up plans", "list"], (page) => campaigns.listFollowUpPlans(page), ["follow_up_plan"]);
  const create = () => edit();
  useKeys({ c: writes() ? create : undefined });
  useActions(writes() ? [{ title: "New follow-up plan", icon: "plus", key: "C", run: create }] : []);
  const add = writes() && <Button kind="primary" icon="plus" onClick={create}>New plan</Button>;
  return (
    <Sheet>
      <Page title="Follow-up plans" back={{ href: href("leads"), title: "Leads" }} actions={add}>
        <p class="part muted">A plan sends messages and creates tasks for a new lead, day by day. It stops as soon as the customer answers, or when the lead is closed. Messages wait for the recipient's quiet hours.</p>
        <Table label="Follow-up plans" list={list} columns={columns} name={(p) => p.name} onOpen={(p) => writes() && edit(p)}
          empty={<NoRows filtered={false} text="No follow-up plans yet." clear={() => {}} action={add} />} />
      </Page>
    </Sheet>
  );
}

const columns: Array<Column<PreviewFollowUpPlan>> = [
  {
    title: "Name", wide: true, phone: "main",
    cell: (p) => <div class="t"><b>{writes() ? <button type="button" class="link-title" onClick={() => edit(p)}>{p.name}</button> : p.name}</b><small>{p.steps.map((s) => `Day ${s.day}: ${word(s.kind).toLowerCase()}`).join(", ")}</small></div>,
  },
  { title: "Starts for", phone: "bottom", cell: (p) => <span class="sub">{p.sources.length ? p.sources.map(word).join(", ") : "Only by hand"}</span> },
  { title: "Steps", align: "right", cell: (p) => <span class="sub num">{p.steps.length}</span> },
  { title: "", phone: "top", cell: (p) => (p.active ? <Tag tone="green">On</Tag> : <Tag tone="gray">Off</Tag>) },
  {
    title: "", align: "right",
    cell: (p) => writes() && <Menu class="btn quiet square" label={`Actions for ${p.name}`} align="end" button={<Icon name="more" />} items={[
      { title: "Edit", icon: "edit", onClick: () => edit(p) },
      { title: p.active ? "Turn off" : "Turn on", onClick: () => void turn(p).catch(toastError) },
      { title: "Delete", icon: "trash", onClick: () => void remove(p).catch(toastError) },
    ]} />,
  },
];

const places = "Places: {first_name|there}, {boat|our boats}, {seller|us}, {dealership}. The words after the bar are for people without the value.";
const fields = ["kind", "day", "subject", "body"] as const;

function toValues(p: PreviewFollowUpPlan | undefined): Values {
  const first = { kind: "sms", day: "0", subject: "", body: "Hi {first_name|there}, thank you for asking about {boat|our boats}. When can I call you?" };
  const steps = p ? p.steps.map((s) => ({ kind: s.kind, day: String(s.day), subject: s.subject ?? "", body: s.body })) : [first];
  return { name: p?.name ?? "", active: p?.active ?? true ? "yes" : "", sources: p ? p.sources.join(" ") : "web", ...toRows("steps", steps) };
}

/** Adds or changes a plan. */
function edit(plan?: PreviewFollowUpPlan): void {
  void openForm({
    name: plan ? "plan " + plan.id : "new plan", title: plan ? `Edit ${plan.name}` : "New follow-up plan", submit: plan ? "Save plan" : "Create plan", wide: true,
    ...(plan && { version: plan.version }),
    values: toValues(plan),
    save: async (v, _, options) => {
      const steps = fromRows("steps", fields, v).map((s) => ({
        kind: s["kind"] as PlanStepKind, day: Number(s["day"]), subject: s["kind"] === "email" ? s["subject"] || null : null, body: s["body"]!,
      }));
      const body = { name: v["name"]!, sources: split(v["sources"]!) as LeadSource[], steps };
      await (plan ? campaigns.updateFollowUpPlan(plan.id, { ...body, active: v["active"] === "yes" }, options) : campaigns.createFollowUpPlan(body));
      changed("follow_up_plan");
      toast("Plan saved.");
    },
    ...(plan && {
      reload: async () => {
        const now = await campaigns.getFollowUpPlan(plan.id);
        return { values: toValues(now), version: now.version };
      },
    }),
    fields: (form) => <Fields form={form} saved={!!plan} />,
  });
}

function Fields({ form, saved }: { form: FormState<Values>; saved: boolean }) {
  const steps = rowsOf(form, "steps", fields);
  const at = (i: number, field: string) => `steps[${i}].${field}`;
  const last = Number(form.values[at(steps.count - 1, "day")] ?? 0);
  return (
    <>
      <TextField form={form} name="name" label="Name" required autofocus />
      <CheckList form={form} name="sources" label="Starts for new leads from" hint="Without a source, you start it on a lead yourself." choices={sources.map((s) => [s, word(s)])} />
      {saved && <CheckField form={form} name="active" label="Starts for new leads" hint="Leads on which it runs keep their steps." />}
      {Array.from({ length: steps.count }, (_, i) => (
        <fieldset key={i}>
          <legend>Step {i + 1}{steps.count > 1 && <IconButton icon="trash" label={`Remove step ${i + 1}`} onClick={() => steps.remove(i)} />}</legend>
          <div class="form-row">
            <NumberField form={form} name={at(i, "day")} label="Day" required {...(i === 0 && { hint: "Day 0 is when the lead arrives." })} />
            <Select form={form} name={at(i, "kind")} label="What happens" required choices={[["sms", "Send a text message"], ["email", "Send an email"], ["task", "Create a task"]]} />
            {form.values[at(i, "kind")] === "email" && <TextField form={form} name={at(i, "subject")} label="Subject" required />}
          </div>
          <TextArea form={form} name={at(i, "body")} label={form.values[at(i, "kind")] === "task" ? "Task" : "Text"} required rows={3} {...(i === 0 && { hint: places })} />
        </fieldset>
      ))}
      <div class="form-end start"><Button small icon="plus" onClick={() => steps.add({ kind: "task", day: String(last + 1), body: "Call {first_name|the customer}" })}>Add step</Button></div>
      <p class="muted">{count(steps.count, "step")}{steps.count > 1 && `, over ${count(last, "day")}`}</p>
    </>
  );
}

async function turn(p: PreviewFollowUpPlan): Promise<void> {
  await campaigns.updateFollowUpPlan(p.id, { active: !p.active }, { ifVersion: p.version });
  changed("follow_up_plan");
  toast(p.active ? "Plan turned off." : "Plan turned on.");
}

async function remove(p: PreviewFollowUpPlan): Promise<void> {
  if (!(await confirm({ title: `Delete ${p.name}?`, text: "It goes on for leads on which it runs.", action: "Delete plan", danger: true }))) return;
  await campaigns.deleteFollowUpPlan(p.id);
  changed("follow_up_plan");
  toast("Plan deleted.");
}
