// One delivery of an event: its attempts, the request, the response and the event.
import { api, type Delivery, type DeliveryAttempt, type Webhook } from "../../api.ts";
import { ago, dateTime } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Json } from "../../parts/json.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { Timeline } from "../../parts/timeline.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { CopyButton } from "../dialogs.tsx";
import { Clock, Code, ObjectLink, curl, duration, usePoll, useViews } from "./traces.tsx";

export function DeliveryPeek({ webhook, id, onClose }: { webhook: Webhook; id: string; onClose: () => void }) {
  const delivery = useLoad(["delivery", id], () => api.webhooks.getDelivery(webhook.id, id), ["deliveries", id]);
  usePoll(delivery.reload, 2, delivery.data?.status === "pending");
  const retry = async () => {
    await api.webhooks.retryDelivery(webhook.id, id);
    changed("deliveries");
    toast("The delivery is sent again.");
  };
  const why = webhook.status === "disabled" ? "Enable the webhook first." : undefined;
  return (
    <Peek label="Delivery" code={id} onClose={onClose} footer={<Button icon="undo" why={why} onClick={() => void retry().catch(toastError)}>Retry now</Button>}>
      <Loaded load={delivery}>{(d) => <Inspector webhook={webhook} delivery={d} />}</Loaded>
    </Peek>
  );
}

function Inspector({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const event = useLoad(["event", delivery.event_id], () => api.webhooks.getEvent(delivery.event_id));
  const [view, views] = useViews(["Event", "Request", "Response", "curl"] as const);
  const last = delivery.attempts.at(-1);
  const headers = ["Content-Type: application/json", "User-Agent: Slipway-Webhooks/1", `Webhook-Id: ${delivery.event_id}`];
  if (last) headers.push(`Webhook-Timestamp: ${Math.floor(Date.parse(last.at) / 1000)}`);
  const next = delivery.next_attempt_at;
  const moments = [...delivery.attempts].reverse().map((a) => ({ id: String(a.number), what: <Attempt of={a} />, note: <Clock at={a.at} /> }));
  return (
    <>
      <h2 class="mono first">{delivery.event_type}</h2>
      <div class="row"><DeliveryState of={delivery} /><ObjectLink id={delivery.event_id} /></div>
      <h3>Attempts</h3>
      {next && <p class="sub" title={dateTime(next)}>Next attempt {Date.parse(next) < Date.now() ? "now" : ago(next)}</p>}
      {moments.length ? <Timeline moments={moments} /> : <p class="sub">Not sent yet.</p>}
      {views}
      {view === "Response" && <ResponseView of={last} />}
      {view !== "Response" && (
        <Loaded load={event} rows={3}>
          {(e) => {
            const command = curl("POST", webhook.url, headers, e);
            if (view === "Event") return <Json value={e} />;
            if (view === "curl") return <><p class="sub">This command has no signature. <CopyButton text={command} label="Copy as curl" /></p><Code text={command} /></>;
            return <><Code text={[`POST ${webhook.url}`, ...headers, "Webhook-Signature: v1,…"].join("\n")} /><p class="sub">The body is the event.</p></>;
          }}
        </Loaded>
      )}
    </>
  );
}

/** A delivery that failed before and is tried again is not the same as a new one. */
export function DeliveryState({ of: { status, attempt_count } }: { of: Delivery }) {
  if (status !== "pending") return <Status value={status} />;
  return attempt_count ? <Status value="pending" label="Retrying" /> : <Status value="pending" tone="blue" />;
}

function Attempt({ of: a }: { of: DeliveryAttempt }) {
  return <><b>Attempt {a.number}</b> {a.status_code ?? "No response"} in {duration(a.latency_ms)}{a.error && a.status_code === null && <small>{a.error}</small>}</>;
}

function ResponseView({ of: a }: { of: DeliveryAttempt | undefined }) {
  if (!a) return <p class="sub">Not sent yet.</p>;
  if (a.response) return <Code text={a.response} />;
  return <p class="sub">{a.status_code === null ? a.error : "The response has no body."}</p>;
}
