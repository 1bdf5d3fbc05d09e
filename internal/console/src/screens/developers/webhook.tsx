// The page of a webhook: its deliveries, its dead letters and its settings.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Delivery, type DeliveryStatus, type Webhook } from "../../api.ts";
import { count, dateTime } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceChip, InputChip } from "../../parts/chip.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts, Page, Section, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { options, word } from "../../words.ts";
import { showSecret } from "../dialogs.tsx";
import { DeliveryPeek, DeliveryState } from "./delivery.tsx";
import { replay } from "./replay.tsx";
import { Clock, duration, usePoll } from "./traces.tsx";
import { WebhookHours } from "./webhook-hours.tsx";
import { Health, editWebhook, webhookName } from "./webhooks.tsx";

export function WebhookScreen({ id }: { id: string }) {
  const webhook = useLoad(["webhook", id], () => api.webhooks.get(id), [id, "webhook"]);
  const { query } = usePlace();
  const peek = query.get("peek");
  usePoll(webhook.reload, 10);
  // The health changes without an event.
  const health = webhook.data?.health;
  const last = useRef(health);
  useEffect(() => {
    if (last.current && health !== last.current) changed("webhook");
    last.current = health;
  }, [health]);
  return (
    <Sheet {...(peek && { kind: "with-peek" })}>
      <Loaded load={webhook} title="Webhook">{(w) => <WebhookPage webhook={w} />}</Loaded>
      {peek && webhook.data && <DeliveryPeek key={peek} webhook={webhook.data} id={peek} onClose={() => setQuery({ peek: undefined })} />}
    </Sheet>
  );
}

function WebhookPage({ webhook }: { webhook: Webhook }) {
  const { query } = usePlace();
  const tab = query.get("tab") ?? "";
  useKeys({ e: () => editWebhook(webhook), Escape: () => navigate(href("developers/webhooks", { row: webhook.id })) });
  const tabs = ([["", "Deliveries"], ["dead", "Dead letters"], ["settings", "Settings"]] as const).map(([value, title]) => ({
    title, href: href(`developers/webhooks/${webhook.id}`, { tab: value }), current: tab === value,
  }));
  return (
    <Page title={webhookName(webhook)} back={{ href: href("developers/webhooks"), title: "Webhooks" }} aside={<Health of={webhook} />} actions={<Actions webhook={webhook} />}>
      <Tabs label="Webhook" tabs={tabs} />
      {tab === "" && <Deliveries webhook={webhook} />}
      {tab === "dead" && <DeadLetters webhook={webhook} />}
      {tab === "settings" && <Settings webhook={webhook} />}
    </Page>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const enabled = webhook.status === "enabled";
  const why = enabled ? undefined : "Enable the webhook first.";
  return (
    <>
      <Menu class="btn quiet square" label="More actions" align="end" button={<Icon name="more" />} items={[
        { title: "Edit", icon: "edit", onClick: () => editWebhook(webhook) },
        enabled && { title: "Replay events", icon: "undo", onClick: () => replay(webhook) },
        { title: "Rotate secret", icon: "key", onClick: () => void rotateSecret(webhook).catch(toastError) },
        { title: enabled ? "Disable" : "Enable", icon: enabled ? "hold" : "check", onClick: () => void setStatus(webhook, enabled ? "disabled" : "enabled").catch(toastError) },
        { title: "Delete", icon: "trash", onClick: () => void remove(webhook).catch(toastError) },
      ]} />
      <Button icon="edit" onClick={() => editWebhook(webhook)}>Edit</Button>
      <Button icon="undo" why={why} onClick={() => replay(webhook)}>Replay</Button>
      <Button kind="primary" icon="send" why={why} onClick={() => void test(webhook).catch(toastError)}>Send test</Button>
    </>
  );
}

async function test(webhook: Webhook): Promise<void> {
  const delivery = await api.webhooks.test(webhook.id);
  changed("deliveries");
  navigate(href(`developers/webhooks/${webhook.id}`, { peek: delivery.id }));
}

async function rotateSecret(webhook: Webhook): Promise<void> {
  const question = { title: "Rotate the signing secret?", text: "Deliveries are signed with the old and the new secret for 7 days, so that you can replace it.", action: "Rotate secret" };
  if (!(await confirm(question))) return;
  const { secret } = await api.webhooks.rotateSecret(webhook.id);
  changed("webhook", webhook.id);
  await showSecret("New signing secret", "Store this secret now. Slipway can't show it again. The old secret works for 7 more days.", [["Signing secret", secret]]);
}

async function setStatus(webhook: Webhook, status: Webhook["status"]): Promise<void> {
  await api.webhooks.update(webhook.id, { status });
  changed("webhook", webhook.id);
  toast(status === "enabled" ? "Webhook enabled. Replay the events that it missed." : "Webhook disabled. It receives no events.");
}

async function remove(webhook: Webhook): Promise<void> {
  const question = { title: `Delete ${webhookName(webhook)}?`, text: "It receives no more events, and its deliveries are deleted.", action: "Delete webhook", danger: true };
  if (!(await confirm(question))) return;
  await api.webhooks.delete(webhook.id);
  changed("webhook");
  toast("Webhook deleted.");
  navigate(href("developers/webhooks"));
}

const deliveryColumns: Array<Column<Delivery>> = [
  { title: "Event", wide: true, phone: "main", cell: (d) => <div class="t"><b><a class="mono" href={withQuery({ peek: d.id })}>{d.event_type}</a></b><small>{d.is_replay ? "Replay · " : ""}<span class="mono">{d.event_id}</span></small></div> },
  { title: "Status", phone: "top", cell: (d) => <DeliveryState of={d} /> },
  { title: "Attempts", align: "right", cell: (d) => <span class="num">{d.attempt_count}</span> },
  { title: "Response", cell: (d) => <Response of={d} /> },
  { title: "When", align: "right", phone: "bottom", cell: (d) => <span class="sub"><Clock at={d.created_at} /></span> },
];

/** What the last attempt got. */
function Response({ of: delivery }: { of: Delivery }) {
  const last = delivery.attempts.at(-1);
  if (!last) return <span class="sub">Not sent yet</span>;
  return <span class="sub">{last.status_code ?? "No response"} in {duration(last.latency_ms)}</span>;
}

/** Deliveries emit no events, so they are loaded again every few seconds. */
function useDeliveryList(key: unknown[], load: Parameters<typeof useList<Delivery>>[1]) {
  const list = useList(key, load, ["deliveries"]);
  usePoll(list.reload, 5, (list.data?.length ?? 0) <= 100);
  return list;
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { query } = usePlace();
  const status = (query.get("status") ?? undefined) as DeliveryStatus | undefined;
  const event = query.get("event_id") ?? undefined;
  const list = useDeliveryList(["deliveries", webhook.id, status, event], (page) =>
    api.webhooks.listDeliveries(webhook.id, { ...page, ...(status && { status }), ...(event && { event_id: event }) }));
  const clear = () => setQuery({ status: undefined, event_id: undefined });
  return (
    <>
      <WebhookHours webhook={webhook} />
      <div class="filters" role="group" aria-label="Filters">
        <ChoiceChip label="Status" value={status && word(status)} current={status} choices={options(["pending", "succeeded", "dead", "discarded"])}
          onChoose={(s) => setQuery({ status: s })} onClear={() => setQuery({ status: undefined })} />
        <InputChip label="Event" value={event} fields={[{ name: "event_id", label: "Event ID", value: event ?? "" }]} onApply={setQuery} onClear={() => setQuery({ event_id: undefined })} />
      </div>
      <Table label="Deliveries" list={list} columns={deliveryColumns} current={query.get("peek") ?? undefined} onMove={(d) => setQuery({ peek: d.id })}
        empty={<NoRows filtered={!!(status || event)} text="No deliveries in the last 30 days." clear={clear} />} />
    </>
  );
}

function DeadLetters({ webhook }: { webhook: Webhook }) {
  const { query } = usePlace();
  const list = useDeliveryList(["dead letters", webhook.id], (page) => api.webhooks.listDeadLetters(webhook.id, page));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const ids = list.data?.filter((d) => selected.has(d.id)).map((d) => d.id) ?? [];
  const drain = async (action: "redeliver" | "discard") => {
    const what = ids.length ? count(ids.length, "dead letter") : "all dead letters";
    const text = action === "discard" ? "Slipway doesn't try to deliver them again." : "The schedule of attempts starts again.";
    if (!(await confirm({ title: `${word(action)} ${what}?`, text, action: word(action), danger: action === "discard" }))) return;
    const done = await api.webhooks.drainDeadLetters(webhook.id, { action, ...(ids.length && { delivery_ids: ids }) });
    setSelected(new Set());
    changed("deliveries");
    toast(`${count(done.count, "dead letter")} ${action === "discard" ? "discarded" : "on the way"}.`);
  };
  useKeys({ Escape: ids.length ? () => setSelected(new Set()) : undefined });
  return (
    <>
      <Table label="Dead letters" list={list} columns={deliveryColumns} current={query.get("peek") ?? undefined} name={(d) => d.event_type}
        onMove={(d) => setQuery({ peek: d.id })} selection={{ ids: selected, toggle }}
        empty={<NoRows filtered={false} text="No dead letters. Deliveries are here when all their attempts have failed." clear={() => {}} />} />
      {!!list.data?.length && (
        <div class={ids.length ? "pager busy" : "pager busy plain-bar"}>
          {ids.length ? `${ids.length} selected` : "Select rows with X, or use all of them"}
          <span class="end">
            <Button small why={webhook.status === "disabled" ? "Enable the webhook first." : undefined} onClick={() => void drain("redeliver").catch(toastError)}>{ids.length ? "Redeliver" : "Redeliver all"}</Button>
            <Button small kind="danger" onClick={() => void drain("discard").catch(toastError)}>{ids.length ? "Discard" : "Discard all"}</Button>
          </span>
        </div>
      )}
    </>
  );
}

function Settings({ webhook: w }: { webhook: Webhook }) {
  return (
    <div class="content">
      <Section title="Endpoint" action={<Button small icon="edit" onClick={() => editWebhook(w)}>Edit</Button>}>
        <Facts facts={[
          ["URL", <span class="mono">{w.url}</span>], ["Description", w.description], ["API version", w.api_version],
          ["Scopes", w.scopes.join(", ")], ["Created", dateTime(w.created_at)], ["Created by", w.created_by.label], ["Changed", dateTime(w.updated_at)], ["ID", <span class="mono">{w.id}</span>],
        ]} />
      </Section>
      <Section title="Events"><ul class="tag-list">{w.events.map((e) => <li key={e} class="tag gray mono">{e}</li>)}</ul></Section>
    </div>
  );
}
