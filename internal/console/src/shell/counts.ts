// The numbers in the sidebar. They are not in the files of the screens, which are loaded later.
import { api } from "../api.ts";
import { useLoad } from "../load.ts";
import { useInventoryReport } from "../screens/boats/shared.ts";

export function useInStock() {
  return { count: useInventoryReport().data?.total.hulls };
}

/** Leads that wait for an answer. */
export function useLeadsToDo() {
  const { data } = useLoad(["awaiting leads"], () => api.preview.leads.getAwaiting(), ["lead"]);
  return { count: data?.everyone || undefined, badge: true };
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
export function useApprovals() {
  const { data } = useLoad(["open proposals"], () => api.preview.proposals.list({ status: "pending", limit: 100 }), ["proposal"]);
  return { count: data?.data.length, badge: true };
}

/** Webhooks that fail. */
export function useFailingWebhooks(allowed: boolean) {
  const load = async () => (await api.webhooks.list({ limit: 100 })).data.filter((w) => w.status === "enabled" && w.health === "failing");
  return useLoad(allowed ? ["failing webhooks"] : undefined, load, ["webhook"]);
}

export function useFailing() {
  return { count: useFailingWebhooks(true).data?.length, badge: true };
}
