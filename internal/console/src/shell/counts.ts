// The numbers in the sidebar. They are not in the files of the screens, which are loaded later.
import { api } from "../api.ts";
import { quiet, useLoad } from "../load.ts";
import { createStore, useStore } from "../parts/store.ts";
import { useInventoryReport } from "../screens/boats/shared.ts";
import { can } from "../session.ts";

export function useInStock() {
  return { count: useInventoryReport().data?.total.hulls };
}

/** Leads that wait for an answer of the dealership. */
export function useAwaiting(allowed = can("leads:read")) {
  return useLoad(allowed ? ["awaiting leads"] : undefined, () => api.preview.leads.getAwaiting(), ["lead"]);
}

export function useLeadsToDo() {
  return { count: useAwaiting().data?.everyone || undefined, badge: true };
}

/** Deals by status, with totals. */
export function usePipeline(location_id?: string) {
  const load = () => api.preview.reports.getPipeline(location_id ? { location_id } : {});
  return useLoad(["pipeline", location_id], load, ["deal", "payment"]);
}

export function useOpenDeals() {
  return { count: usePipeline().data?.total.deals };
}

/** Proposals that wait for a person. */
function useProposals(allowed: boolean) {
  return useLoad(allowed ? ["open proposals"] : undefined, () => api.preview.proposals.list({ status: "pending", limit: 100 }), ["proposal"]);
}

export function useApprovals() {
  return { count: useProposals(true).data?.data.length, badge: true };
}

/** Whether the numbers are loaded. What the user came for is loaded before them. */
const counting = createStore(false);
void quiet().then(() => counting.set(true));

export function useCounting(): boolean {
  return useStore(counting);
}

/** What needs the user: own leads that wait, proposals, and webhooks that fail. */
export function useNeedsCount(): number {
  const counts = useCounting();
  const leads = useAwaiting(counts && can("leads:read")).data?.mine ?? 0;
  const proposals = useProposals(counts && (can("hulls:write") || can("leads:write") || can("deals:write"))).data?.data.length ?? 0;
  const webhooks = useFailingWebhooks(counts && can("webhooks")).data?.length ?? 0;
  return leads + proposals + webhooks;
}

/** Webhooks that fail. */
export function useFailingWebhooks(allowed: boolean) {
  const load = async () => (await api.webhooks.list({ limit: 100 })).data.filter((w) => w.status === "enabled" && w.health === "failing");
  return useLoad(allowed ? ["failing webhooks"] : undefined, load, ["webhook"]);
}

export function useFailing() {
  return { count: useFailingWebhooks(true).data?.length, badge: true };
}
