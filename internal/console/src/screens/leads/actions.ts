// What users do with a lead without a dialog.
import { api, type Activity, type PreviewLead } from "../../api.ts";
import { changed } from "../../load.ts";
import { toast } from "../../parts/toast.tsx";

/** Assigns a lead to a user, or to the next one in turn. */
export async function assign(lead: PreviewLead, userId: string | undefined): Promise<void> {
  await api.leads.assign(lead.id, userId ? { user_id: userId } : { strategy: "round_robin" });
  changed("lead", lead.id);
  toast("Lead assigned.");
}

export async function setStatus(lead: PreviewLead, status: PreviewLead["status"]): Promise<void> {
  await api.leads.update(lead.id, { status });
  changed("lead", lead.id);
  toast(lead.status === "lost" ? "Lead reopened." : "Status changed.");
}

/** Completes a task, or opens it again. */
export async function setDone(task: Activity, done: boolean): Promise<void> {
  await api.preview.activities.update(task.id, { done_at: done ? new Date().toISOString() : null });
  changed("activity");
}
