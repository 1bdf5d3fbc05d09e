// The deal desk: how far a deal is, what is missing, its worksheet and its money. Each part is in a file of its own.
import { useEffect, useState } from "preact/hooks";
import { api, type DealStatus, type PreviewDeal, type PreviewDealMissingCode, type PreviewDealNext } from "../../api.ts";
import { when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Photo } from "../../parts/photo.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { remember } from "../../prefs.ts";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { can } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { word } from "../../words.ts";
import { onTheWay } from "../boats/shared.ts";
import { DocumentPane } from "../documents/pane.tsx";
import { CancelDialog, MoveDialog } from "./actions.tsx";
import { DealActivity, DealNotes } from "./activity.tsx";
import { DealDocuments } from "./documents.tsx";
import { Calculator } from "./finance.tsx";
import { Lenders } from "./lenders.tsx";
import { Offers, OfferDialog } from "./offers.tsx";
import { PaymentDialog, Payments } from "./payments.tsx";
import { buyerName, canOverride, dealBoat, dealChanged, dealStatuses, dealTypeName, stepActions, useDeal, useFundings, useHistory, useNext } from "./shared.ts";
import { DealSheet } from "./sheet.tsx";
import { TradeIns } from "./trades.tsx";
import { Adjustments, CancelProductDialog, UnwindDialog } from "./unwind.tsx";
import { LinesDialog, TermsDialog, Worksheet } from "./worksheet.tsx";

export function Deal({ id }: { id: string }) {
  const deal = useDeal(id);
  const document = usePlace().query.get("document");
  useKeys({ Escape: () => navigate(href("deals")) });
  return (
    <Sheet kind="desk">
      <Loaded load={deal} title="Deal">{(d) => <Desk key={d.id} deal={d} documentId={document ?? undefined} />}</Loaded>
    </Sheet>
  );
}

type DialogName = "lines" | "terms" | "offer" | "payment" | "balance" | "cancel" | "unwind" | "product" | "print";

function Desk({ deal, documentId }: { deal: PreviewDeal; documentId: string | undefined }) {
  const [dialog, setDialog] = useState<DialogName>();
  const [moving, setMoving] = useState<DealStatus>();
  const [busy, setBusy] = useState(false);
  const next = useNext(deal.id);
  // Sending a deal to the finance office asks nothing and reserves nothing.
  const go = ({ default: to, steps }: PreviewDealNext) => {
    if (to !== "in_finance" || !steps.some((s) => s.to === to && s.allowed)) return setMoving(to!);
    setBusy(true);
    void api.deals.advance(deal.id, { to }).then(() => (dealChanged(deal.id), toast("The deal is in finance."))).catch(toastError).finally(() => setBusy(false));
  };
  const open = (name: DialogName) => () => setDialog(name);
  const close = () => setDialog(undefined);
  const editable = can("deals:write") && deal.status_category === "open";
  const title = dealBoat(deal);
  useEffect(() => remember({ title: `${title}, ${buyerName(deal)}`, url: href(`deals/${deal.id}`) }), [deal.id]);
  useKeys({ e: editable ? open("lines") : undefined });
  useActions(editable ? [
    { title: "Edit lines of the deal", icon: "edit", key: "E", run: open("lines") },
    { title: "New offer", icon: "price", run: open("offer") },
    { title: "Record payment", icon: "plus", run: open("payment") },
    { title: "Cancel deal", icon: "close", run: open("cancel") },
  ] : []);

  const sold = ["funded", "delivered", "closed"].includes(deal.status);
  const undo = can("deals:write") && canOverride() && sold ? [
    deal.status !== "funded" && { title: "Cancel a product", icon: "undo" as const, onClick: open("product") },
    { title: "Undo sale", icon: "close" as const, onClick: open("unwind") },
  ] : [];
  const more = [
    { title: "Print worksheet", icon: "document" as const, onClick: open("print") },
    editable && { title: "Edit terms and owner", icon: "edit" as const, onClick: open("terms") },
    ...(next.data?.steps ?? []).filter((s) => s.to !== next.data?.default && s.to !== "accepted")
      .map((s) => ({ title: `Move to ${word(s.to)}`, icon: "arrowRight" as const, onClick: () => setMoving(s.to) })),
    editable && !sold && { title: "Cancel deal", icon: "close" as const, onClick: open("cancel") },
    ...undo,
  ];
  const actions = (
    <>
      <Menu class="btn quiet square" label="More actions" align="end" button={<Icon name="more" />} items={more} />
      {editable && next.data?.default && <Button kind="primary" busy={busy} onClick={() => go(next.data!)}>{stepActions[next.data.default]}</Button>}
    </>
  );
  return (
    <>
      <Page title={title} back={{ href: href("deals"), title: "Deals" }} before={deal.hull && <Photo boat={deal.hull} />} actions={actions}>
        <Parties deal={deal} />
        <Steps deal={deal} />
        <Todo deal={deal} next={next.data} onPay={can("deals:write") ? open("balance") : undefined} />
        {deal.warnings.map((w) => <p key={w.code} class="note part-note"><Icon name="alert" />{w.message}</p>)}
        <Worksheet deal={deal} onEdit={editable ? open("lines") : undefined} />
        <TradeIns deal={deal} />
        <div class="part duo">
          <Offers deal={deal} onAdd={open("offer")} />
          <Payments deal={deal} onAdd={open("payment")} />
        </div>
        <Adjustments deal={deal} />
        <DealNotes deal={deal} />
        <DealActivity deal={deal} />
      </Page>
      {documentId ? <DocumentPane key={documentId} dealId={deal.id} id={documentId} onClose={() => setQuery({ document: undefined })} /> : (
        <aside class="calc" aria-label="Finance and documents" tabIndex={0}>
          <Calculator deal={deal} />
          <Lenders deal={deal} />
          <DealDocuments deal={deal} />
        </aside>
      )}
      {dialog === "lines" && <LinesDialog deal={deal} onClose={close} />}
      {dialog === "terms" && <TermsDialog deal={deal} onClose={close} />}
      {dialog === "offer" && <OfferDialog deal={deal} onClose={close} />}
      {(dialog === "payment" || dialog === "balance") && <PaymentDialog deal={deal} balance={dialog === "balance"} onClose={close} />}
      {dialog === "cancel" && <CancelDialog deal={deal} onClose={close} />}
      {dialog === "print" && <DealSheet deal={deal} onDone={close} />}
      {dialog === "unwind" && <UnwindDialog deal={deal} onClose={close} />}
      {dialog === "product" && <CancelProductDialog deal={deal} onClose={close} />}
      {moving && <MoveDialog deal={deal} to={moving} onClose={() => setMoving(undefined)} />}
    </>
  );
}

/** Who buys, who sells, and how. */
function Parties({ deal }: { deal: PreviewDeal }) {
  return (
    <p class="parties">
      <a class="link" href={href(`contacts/${deal.buyer_id}`)}>{buyerName(deal)}</a>
      <span>{dealTypeName(deal.deal_type)}</span>
      {deal.sale_type !== "retail" && <span>{word(deal.sale_type)}</span>}
      {deal.owner && <span>{deal.owner.name}</span>}
      {deal.hull && <a class="link" href={href(`boats/${deal.hull_id}`)}>{deal.hull.stock_number ?? "Boat"}</a>}
      {deal.hull && onTheWay(deal.hull) && <span>{onTheWay(deal.hull)}</span>}
      {deal.lead_id && can("leads:read") && <a class="link" href={href(`leads/${deal.lead_id}`)}>Lead</a>}
      <span>Deal {deal.number}</span>
      {deal.revision > 1 && <span>Revision {deal.revision}</span>}
    </p>
  );
}

/** The statuses with their dates. Deals without a lender skip In finance. */
function Steps({ deal }: { deal: PreviewDeal }) {
  const { data } = useHistory(deal.id);
  const dates = new Map([...(data?.data ?? [])].reverse().map((change) => [change.to, change.at]));
  const reached = (dealStatuses as readonly string[]).indexOf(deal.status);
  const shown = dealStatuses.filter((s) => s !== "in_finance" || deal.deal_type === "finance" || dates.has(s));
  const following = shown.find((s) => dealStatuses.indexOf(s) > reached);
  const cancelled = deal.status === "cancelled";
  return (
    <ol class="steps" aria-label="Progress" tabIndex={0}>
      {shown.map((status) => {
        const at = dates.get(status);
        const done = cancelled ? !!at : dealStatuses.indexOf(status) <= reached;
        const isNext = !cancelled && status === following;
        return (
          <li key={status} class={done ? "done" : isNext ? "now" : ""} aria-current={status === deal.status ? "step" : undefined}>
            <b>{word(status)}</b>{done ? at && when(at) : isNext && "Next"}
          </li>
        );
      })}
      {cancelled && <li class="stopped" aria-current="step"><b>{word("cancelled")}</b>{deal.canceled_at && when(deal.canceled_at)}</li>}
    </ol>
  );
}

/** Where to fix what is missing: the words on the button, and the section of the desk. */
const places: Partial<Record<PreviewDealMissingCode, [string, string]>> = {
  accepted_offer: ["Show offers", "offers"], signed_agreement: ["Show documents", "documents"], agreement_hin: ["Show documents", "documents"],
  selected_structure: ["Show calculator", "calculator"], funding: ["Show lender", "lenders"],
};

const before: Partial<Record<DealStatus, string>> = {
  accepted: "acceptance", in_finance: "financing", contracted: "the contract", funded: "funding", delivered: "delivery", closed: "closing",
};

/** Scrolls to a section of the desk, and focuses the control that matters there. */
function show(place: string, control = place === "calculator" ? "#calc-apr" : ".papers .btn, .lender .btn, button, a, input"): void {
  const section = document.getElementById(place);
  section?.scrollIntoView({ behavior: "smooth", block: "center" });
  const target = control.split(", ").map((c) => section?.querySelector<HTMLElement>(c)).find(Boolean);
  target?.focus({ preventScroll: true });
}

/** What the next step requires, each with a button that goes there. */
function Todo({ deal, next, onPay }: { deal: PreviewDeal; next: PreviewDealNext | undefined; onPay: (() => void) | undefined }) {
  const fundings = useFundings(deal);
  if (deal.status === "cancelled") {
    const text = [deal.cancel_reason, deal.deposit_outcome && `Money paid: ${word(deal.deposit_outcome).toLowerCase()}`].filter(Boolean).join(" · ");
    return <p class="todo"><Icon name="close" /><span><b>{deal.unwound_at ? "Sale undone:" : "Canceled:"}</b> {text}</span>{deal.transferred_to_deal_id && <a class="btn" href={href(`deals/${deal.transferred_to_deal_id}`)}>Other deal</a>}</p>;
  }
  const step = next?.steps.find((s) => s.to === (next.default ?? "accepted"));
  if (!step || step.allowed) return null;
  const waiting = step.missing.some((m) => m.code === "funding")
    ? (fundings.data?.data ?? []).filter((f) => !["declined", "withdrawn", "charged_back"].includes(f.status))
      .flatMap((f) => f.stipulations.filter((s) => s.status === "requested" || s.status === "rejected").map((s) => ({ id: s.id, text: `${f.lender} requires ${word(s.kind).toLowerCase()}.`, kind: word(s.kind) })))
    : [];
  return (
    <div class="todo">
      <Icon name="clock" />
      <ul>
        {step.missing.map((m, i) => {
          const place = places[m.code];
          return (
            <li key={m.code}>
              <span>{i === 0 && <b>Before {before[step.to]}: </b>}{m.message}</span>
              {place && <Button small onClick={() => show(place[1])}>{place[0]}</Button>}
              {m.code === "payment" && onPay && <Button small onClick={onPay}>Record payment</Button>}
              {m.code === "hin" && <ButtonLink small href={href(`boats/${deal.hull_id}`)}>Open boat</ButtonLink>}
            </li>
          );
        })}
        {waiting.map((s) => <li key={s.id}><span>{s.text}</span><Button small onClick={() => show("lenders", `[aria-label^="${s.kind}:"]`)}>{`Show ${s.kind.toLowerCase()}`}</Button></li>)}
      </ul>
    </div>
  );
}
