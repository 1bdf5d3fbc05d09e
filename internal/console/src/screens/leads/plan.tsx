// The follow-up plan of a lead: what happened, what comes next, and how to stop it.
import { api, type PreviewLead } from "../../api.ts";
import { dateTime, when } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/field.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { word } from "../../words.ts";
import { openForm } from "../dialogs.tsx";

/** The heading and the plan. Nothing if there are no plans. */
export function LeadPlan({ lead }: { lead: PreviewLead }) {
  const found = useLoad(["lead plans", lead.id], () => api.preview.campaigns.listLeadPlans(lead.id, { limit: 1 }), ["lead_plan", lead.id]);
  const plans = useLoad(["follow-up plans"], () => api.preview.campaigns.listFollowUpPlans({ limit: 100 }), ["follow_up_plan"]);
  const all = plans.data?.data ?? [];
  const plan = found.data?.data[0];
  const isOpen = !["lost", "converted"].includes(lead.status);
  if (!plan && (!all.length || !isOpen)) return null;
  const stop = async () => {
    await api.preview.campaigns.stopLeadPlan(plan!.id);
    changed("lead_plan");
    toast("Plan stopped.");
  };
  const start = async () => {
    const started = await openForm({
      name: "plan of " + lead.id, title: "Start a follow-up plan", submit: "Start plan", values: { plan_id: all[0]?.id ?? "" },
      save: async (v) => api.preview.campaigns.startLeadPlan(lead.id, v),
      fields: (form) => (
        <>
          <Select form={form} name="plan_id" label="Plan" required choices={all.map((p) => [p.id, p.name])} />
          <p class="muted">A message from the customer stops it.</p>
        </>
      ),
    });
    if (!started) return;
    changed("lead_plan");
    toast("Plan started.");
  };
  const running = plan?.status === "running";
  return (
    <>
      <h2>Follow-up plan{can("leads:write") && isOpen && !running && all.length > 0 && <button type="button" class="link" onClick={() => void start().catch(toastError)}>Start</button>}</h2>
      {plan && (
        <>
          <p>{plan.name} <Tag tone={running ? "blue" : plan.status === "finished" ? "green" : "gray"}>{word(plan.status)}{plan.reason && `: ${word(plan.reason).toLowerCase()}`}</Tag></p>
          <ul class="mini-list">
            {plan.steps.map((s, i) => {
              const result = plan.results[i];
              return <li key={i}><b>Day {s.day}: {word(s.kind)}</b> <small class="muted" title={s.body}>{result ? (result.code ? `not sent: ${word(result.code).toLowerCase()}` : when(result.ran_at)) : running && i === plan.results.length && plan.next_at ? dateTime(plan.next_at) : running ? "" : "skipped"}</small></li>;
            })}
          </ul>
          {running && can("leads:write") && <Button small onClick={() => void stop().catch(toastError)}>Stop plan</Button>}
        </>
      )}
    </>
  );
}
