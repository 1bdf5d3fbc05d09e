// The worksheet of a deal to print for the buyer: the lines and the total, what was paid, and places to sign. Profits aren't on it.
import type { PreviewDeal } from "../../api.ts";
import { exactMoney } from "../../format.ts";
import { Facts, Section } from "../../parts/layout.tsx";
import { Paper } from "../../parts/paper.tsx";
import { buyerName, dealBoat, dealTypeName, useStructures } from "./shared.ts";
import { useTradeIns } from "./trades.tsx";
import { Worksheet } from "./worksheet.tsx";

export function DealSheet({ deal, onDone }: { deal: PreviewDeal; onDone: () => void }) {
  const ready = !!useTradeIns(deal.id).data && !!useStructures(deal.id).data;
  return (
    <Paper title={dealBoat(deal)} ready={ready} onDone={onDone}>
      <p class="lead"><span>Worksheet of deal {deal.number}</span><span>{dealTypeName(deal.deal_type)}</span></p>
      <Section title="Parties">
        <Facts facts={[["Buyer", buyerName(deal)], ["Salesperson", deal.owner?.name], ["Stock number", deal.hull?.stock_number], ["HIN", deal.hull?.hin]]} />
      </Section>
      <Worksheet deal={deal} onEdit={undefined} />
      <Section title="Balance">
        <Facts facts={[["Total", exactMoney(deal.totals.total)], ["Paid", exactMoney(deal.totals.paid)], ["Balance due", <b>{exactMoney(deal.totals.balance_due)}</b>]]} />
      </Section>
      <p>This worksheet is not a contract. The purchase agreement has the terms of the sale.</p>
      <div class="sign"><p>Buyer, date</p><p>Dealership, date</p></div>
    </Paper>
  );
}
