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

export function useOpenDeals() {
  const { data } = useLoad(["pipeline", undefined], () => api.preview.reports.getPipeline({}), ["deal", "payment"]);
  return { count: data?.total.deals };
}

/** Proposals that wait for a person. */
export function useApprovals() {
  const { data } = useLoad(["open proposals"], () => api.preview.proposals.list({ status: "pending", limit: 100 }), ["proposal"]);
  return { count: data?.data.length, badge: true };
}

/** Webhooks that fail. */
export function useFailing() {
  const { data } = useLoad(["failing webhooks"], () => api.webhooks.list({ limit: 100 }), ["webhook"]);
  return { count: data?.data.filter((w) => w.status === "enabled" && w.health === "failing").length, badge: true };
}
