// What the screens about deals and documents share.
import { api, type DealStatus, type DealType, type PreviewDeal, type PreviewDealExpansion } from "../../api.ts";
import { changed, useLoad } from "../../load.ts";
import { can, session } from "../../session.ts";
import { boatName } from "../boats/shared.ts";
import { contactName } from "../contacts/people.tsx";

/** Statuses of a deal, in the order of a sale. */
export const dealStatuses = ["open", "accepted", "in_finance", "contracted", "funded", "delivered", "closed"] as const;

/** How a buyer pays, in words. */
export const dealTypes: Array<[DealType, string]> = [
  ["cash", "Cash"],
  ["finance", "Finance"],
  ["outside_finance", "Buyer's own lender"],
];

export function dealTypeName(type: string): string {
  return dealTypes.find(([value]) => value === type)?.[1] ?? type;
}

/** What to expand. Each reference needs the scope to read it. */
export function expansions(): PreviewDealExpansion[] {
  return ["owner", ...(can("leads:read") ? ["buyer" as const] : []), ...(can("hulls:read") ? ["hull" as const] : [])];
}

/** A deal with its boat, buyer and owner. */
export function useDeal(id: string | undefined) {
  const load = () => api.preview.deals.get(id!, { expand: expansions() });
  return useLoad(id ? ["deal", id] : undefined, load, id ? [id, "payment", "funding"] : []);
}

/** What the deal requires for each later status. */
export function useNext(id: string) {
  return useLoad(["deal next", id], () => api.preview.deals.getNext(id), [id, "payment", "funding", "document"]);
}

export function useDocuments(dealId: string) {
  return useLoad(["documents of", dealId], () => api.finance.listDocuments(dealId, { limit: 100 }), [dealId, "document"]);
}

export function useHistory(dealId: string) {
  return useLoad(["deal history", dealId], () => api.deals.listHistory(dealId, { limit: 100 }), [dealId]);
}

export function useOffers(dealId: string) {
  return useLoad(["offers", dealId], () => api.deals.listOffers(dealId, { limit: 100 }), [dealId]);
}

export function usePayments(dealId: string) {
  return useLoad(["payments", dealId], () => api.finance.listPayments(dealId, { limit: 100 }), [dealId, "payment"]);
}

/** Applications with lenders. Other deals have none. */
export function useFundings({ id, deal_type }: PreviewDeal) {
  return useLoad(deal_type === "finance" ? ["fundings", id] : undefined, () => api.finance.listFundings(id, { limit: 100 }), [id, "funding"]);
}

export function useStructures(dealId: string) {
  return useLoad(["structures", dealId], () => api.finance.listStructures(dealId, { limit: 100 }), [dealId]);
}

/** Fees, products and lenders to choose from. */
export function useDesk() {
  return useLoad(["deal desk"], () => api.preview.finance.getDealDesk(), ["dealership", "funding"]);
}

/** The usual documents that a deal doesn't have yet. */
export function useMissingDocuments(dealId: string) {
  return useLoad(["missing documents", dealId], () => api.preview.finance.listMissingDocuments(dealId), [dealId, "document", "payment"]);
}

/** Loads a deal and its parts again. */
export function dealChanged(id: string): void {
  changed("deal", id);
}

/** Loads the documents of a deal again, and what depends on their signatures. */
export function documentsChanged(dealId: string): void {
  changed("deal", dealId, "document");
}

/** Reports whether the user can make exceptions, such as writing a balance off, and book money that leaves. */
export function canOverride(): boolean {
  return session.manager;
}

export function buyerName(deal: PreviewDeal): string {
  return deal.buyer ? contactName(deal.buyer) : `Deal ${deal.number}`;
}

export function dealBoat(deal: PreviewDeal): string {
  return deal.hull ? boatName(deal.hull) : `Deal ${deal.number}`;
}

/** Verb and object of the step to a status. */
export const stepActions: Partial<Record<DealStatus, string>> = {
  in_finance: "Send to finance",
  contracted: "Mark contracted",
  funded: "Mark funded",
  delivered: "Mark delivered",
  closed: "Close deal",
};

/** Whole cents of an amount that the user typed, such as 29190.5. Null if there is none. */
export function toCents(text: string | undefined): number | null {
  if (!text) return null;
  const [whole = "", fraction = ""] = text.split(".");
  return Number(whole + fraction.padEnd(2, "0").slice(0, 2));
}

/** The text of an amount to edit: 29190.50. */
export function fromCents(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return "";
  const digits = String(amount).padStart(3, "0");
  return digits.slice(0, -2) + "." + digits.slice(-2);
}
