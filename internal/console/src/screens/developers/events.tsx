// Events: what happened, newest first, with what changed and who was told.
import { api, type PreviewEventWithActor } from "../../api.ts";
import { dateTime } from "../../format.ts";
import { useList, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceChip, InputChip } from "../../parts/chip.tsx";
import { Select } from "../../parts/field.tsx";
import { Json } from "../../parts/json.tsx";
import { Facts, Page, Sheet } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { href, mode, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { word } from "../../words.ts";
import { CopyButton, openForm } from "../dialogs.tsx";
import { Changes as ChangeTable } from "./audit-entry.tsx";
import { Sentence } from "./audit-lines.tsx";
import { changesOf, idsIn, type Changes, type NameOf } from "./audit-words.ts";
import { DeliveryState } from "./delivery.tsx";
import { eventTypes, nouns } from "./event-types.tsx";
import { Clock, NameLink, ObjectLink, ofRequest, useObjectNames, useTail } from "./traces.tsx";
import { webhookName } from "./webhooks.tsx";

const filterNames = ["type", "object_id", "created_after", "created_before"];

export function Events() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  const filters = Object.fromEntries(filterNames.filter(value).map((n) => [n, value(n)!]));
  const request = value("request_id");
  const load = (page: object) => ofRequest(api.preview.webhooks.listEvents({ ...filters, ...page }), request, (e) => e.request.id);
  const events = useList(["events", filters, request], load);
  const tail = useTail(events, load, "hint");
  const peek = value("peek");
  const nameOf = useObjectNames((events.data ?? []).flatMap((e) => [subjectOf(e), ...idsIn(changesIn(e))]));
  const type = value("type");
  const noun = type?.endsWith(".*") ? type.slice(0, -2) : undefined;
  const clear = (...names: string[]) => () => setQuery(Object.fromEntries(names.map((n) => [n, undefined])));
  return (
    <Sheet {...(peek && { kind: "with-peek" })}>
      <Page title="Events" actions={mode === "test" && <Button icon="send" onClick={sendSample}>Send sample event</Button>}>
        <div class="filters" role="group" aria-label="Filters">
          {tail}
          <ChoiceChip label="About" value={noun && word(noun)} current={noun} choices={nouns().map((n) => [n, word(n)])}
            onChoose={(n) => setQuery({ type: n + ".*" })} onClear={clear("type")} />
          <InputChip label="Type" value={noun ? undefined : type} fields={[{ name: "type", label: "Type, such as hull.sold", value: type ?? "" }]} onApply={setQuery} onClear={clear("type")} />
          <InputChip label="Object" value={value("object_id")} fields={[{ name: "object_id", label: "ID of the object", value: value("object_id") ?? "" }]} onApply={setQuery} onClear={clear("object_id")} />
          {request && <button type="button" class="chip on" onClick={clear("request_id", "created_after", "created_before")}>Request: <b class="mono">{request}</b></button>}
        </div>
        <Table label="Events" list={events} columns={columnsOf(nameOf)} current={peek} onMove={(e) => setQuery({ peek: e.id })}
          empty={<NoRows filtered={Object.keys(filters).length > 0} text="No events in the last 30 days." clear={() => navigate(href("developers/events"))} />} />
      </Page>
      {peek && <EventPeek key={peek} id={peek} />}
    </Sheet>
  );
}

/** Emits an event about an object that doesn't exist, to test a receiver. */
function sendSample(): void {
  void openForm({
    name: "sample event", title: "Send sample event", submit: "Send event",
    values: { type: "hull.created" },
    save: async ({ type }) => {
      const { object_id } = await api.preview.webhooks.triggerEvent({ type });
      toast("The event was sent to your webhooks.");
      navigate(href("developers/events", { object_id }));
    },
    fields: (form) => (
      <>
        <p>Your webhooks receive an event about an object that doesn't exist, like any other event.</p>
        <Select form={form} name="type" label="Type" required choices={eventTypes().map((t) => [t, t])} />
      </>
    ),
  });
}

/** The ID of the object that an event is about. */
function objectId(event: PreviewEventWithActor): string {
  return String(event.data.object["id"] ?? "");
}

/** The ID of what the sentence is about: the lead of a message, the deal of an offer. */
function subjectOf(event: PreviewEventWithActor): string {
  const noun = event.type.split(".")[0]!;
  return String(event.data.object[noun + "_id"] ?? event.data.object["id"] ?? "");
}

/** What changed: the fields before and after. */
function changesIn(event: PreviewEventWithActor): Changes {
  return Object.fromEntries(Object.entries(event.data.previous).map(([field, before]) => [field, [before, event.data.object[field]]]));
}

function columnsOf(nameOf: NameOf): Array<Column<PreviewEventWithActor>> {
  return [
    { title: "What", phone: "main", wide: true, cell: (e) => <What event={e} nameOf={nameOf} /> },
    { title: "Type", cell: (e) => <span class="sub mono">{e.type}</span> },
    { title: "Who", phone: "bottom", cell: (e) => <span class="sub">{e.actor.type === "system" ? "Automatic" : e.actor.label}</span> },
    { title: "When", align: "right", phone: "top", cell: (e) => <span class="sub"><Clock at={e.created_at} /></span> },
  ];
}

function What({ event, nameOf }: { event: PreviewEventWithActor; nameOf: NameOf }) {
  const changes = changesOf(changesIn(event), nameOf).slice(0, 3).map((c) => `${c.label}: ${c.from ?? "none"} → ${c.to ?? "none"}`).join(" · ");
  return (
    <div class="t said">
      <a href={withQuery({ peek: event.id })}><Sentence action={event.type} target={subjectOf(event)} nameOf={nameOf} /></a>
      {changes && <small>{changes}</small>}
    </div>
  );
}

function EventPeek({ id }: { id: string }) {
  const event = useLoad(["event with actor", id], () => api.preview.webhooks.getEvent(id));
  return (
    <Peek label="Event" code={id} onClose={() => setQuery({ peek: undefined })}>
      <Loaded load={event}>{(e) => <EventDetails event={e} />}</Loaded>
    </Peek>
  );
}

function EventDetails({ event }: { event: PreviewEventWithActor }) {
  const object = objectId(event);
  const changes = changesIn(event);
  const nameOf = useObjectNames([object, subjectOf(event), ...idsIn(changes)]);
  const { actor, ...body } = event; // webhooks receive it without the actor
  return (
    <>
      <h2 class="first"><Sentence action={event.type} target={subjectOf(event)} nameOf={nameOf} /></h2>
      <p class="sub mono">{event.type}</p>
      <Facts facts={[
        ["When", dateTime(event.created_at)], ["Who", actor.label], ["Object", object && <NameLink id={object} nameOf={nameOf} />],
        ["Request", event.request.id ? <ObjectLink id={event.request.id} /> : "None, a job did it"],
        ["Idempotency key", event.request.idempotency_key && <span class="mono">{event.request.idempotency_key}</span>],
        ["Number of this object's events", event.sequence], ["API version", event.api_version],
      ]} />
      {object && <p class="links"><a class="link" href={href("developers/events", { object_id: object })}>All events of the object</a></p>}
      <ChangeTable changes={changes} nameOf={nameOf} />
      <h3>Deliveries</h3>
      <DeliveriesOf event={event.id} />
      <h3>Event <CopyButton text={JSON.stringify(body, null, 2)} /></h3>
      <Json value={body} />
    </>
  );
}

/** The deliveries of an event, for each webhook. */
function DeliveriesOf({ event }: { event: string }) {
  const load = useLoad(["deliveries of", event], async () => {
    const { data } = await api.webhooks.list({ limit: 20 });
    const found = await Promise.all(data.map(async (webhook) => ({ webhook, deliveries: (await api.webhooks.listDeliveries(webhook.id, { event_id: event, limit: 5 })).data })));
    return found.filter((f) => f.deliveries.length > 0);
  }, ["deliveries", "webhook"]);
  return (
    <Loaded load={load} rows={1}>
      {(found) => found.length === 0 ? <p class="sub">No webhook received this event.</p> : (
        <ul class="link-rows">
          {found.flatMap(({ webhook, deliveries }) => deliveries.map((d) => (
            <li key={d.id}><a class="link" href={href(`developers/webhooks/${webhook.id}`, { peek: d.id })}>{webhookName(webhook)}</a><DeliveryState of={d} /></li>
          )))}
        </ul>
      )}
    </Loaded>
  );
}
