// The deliveries of the last 24 hours, as a bar for each hour.
import { api, type Delivery, type Webhook } from "../../api.ts";
import { number, time } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { usePoll } from "./traces.tsx";

const hour = 3_600_000;

/** Deliveries that are counted at most. */
const most = 1000;

const kinds = [
  { name: "Succeeded", color: "green", has: (d: Delivery) => d.status === "succeeded" && d.attempt_count < 2 },
  { name: "After a retry", color: "blue", has: (d: Delivery) => d.status === "succeeded" && d.attempt_count > 1 },
  { name: "Waiting", color: "amber", has: (d: Delivery) => d.status === "pending" },
  { name: "Dead", color: "red", has: (d: Delivery) => d.status === "dead" || d.status === "discarded" },
];

export function WebhookHours({ webhook }: { webhook: Webhook }) {
  const load = useLoad(["hours", webhook.id], () => lastDay(webhook), ["deliveries"]);
  usePoll(load.reload, 60);
  if (!load.data?.length) return null;
  const start = Math.floor(Date.now() / hour) * hour - 23 * hour;
  const hours = Array.from({ length: 24 }, (_, i) => {
    const from = start + i * hour;
    const rows = load.data!.filter((d) => Date.parse(d.created_at) >= from && Date.parse(d.created_at) < from + hour);
    return { from, counts: kinds.map((k) => rows.filter(k.has).length), total: rows.length };
  });
  const highest = Math.max(...hours.map((h) => h.total), 1);
  const total = (kind: number) => hours.reduce((sum, h) => sum + h.counts[kind]!, 0);
  return (
    <figure class="hours" aria-label="Deliveries of the last 24 hours">
      <div class="hour-bars" aria-hidden="true">
        {hours.map((h) => (
          <span key={h.from} title={`${time(new Date(h.from).toISOString())}: ${h.counts.map((n, i) => n && `${n} ${kinds[i]!.name.toLowerCase()}`).filter(Boolean).join(", ") || "none"}`}>
            {h.counts.map((n, i) => <i key={i} class={kinds[i]!.color} style={{ "--h": `${(n / highest) * 100}%` }} />)}
          </span>
        ))}
      </div>
      <figcaption class="depths">
        <span>Last 24 hours</span>
        {kinds.map((k, i) => <span key={k.name}><i class={k.color} style={{ "--c": "var(--dot)" }} />{k.name} <b>{number(total(i))}{load.data!.length >= most && "+"}</b></span>)}
      </figcaption>
    </figure>
  );
}

/** The newest deliveries, up to a day old. */
async function lastDay(webhook: Webhook): Promise<Delivery[]> {
  const rows: Delivery[] = [];
  for await (const delivery of api.webhooks.listDeliveries(webhook.id, { limit: 100 })) {
    if (Date.now() - Date.parse(delivery.created_at) > 24 * hour || rows.length >= most) break;
    rows.push(delivery);
  }
  return rows;
}
