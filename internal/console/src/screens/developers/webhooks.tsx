// Webhooks: the endpoints that receive events, and how well they work.
import { api, type Webhook } from "../../api.ts";
import { ago, when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Status } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { useActions } from "../../shell/actions.ts";
import { word } from "../../words.ts";
import { split } from "../choices.tsx";
import { openForm, showSecret } from "../dialogs.tsx";
import { EventPicker } from "./event-types.tsx";

export function Webhooks() {
  const { query } = usePlace();
  const webhooks = useList(["webhooks"], (page) => api.webhooks.list(page), ["webhook"]);
  useKeys({ c: () => void create() });
  useActions([{ title: "Add webhook", icon: "webhook", key: "C", run: () => void create() }]);
  const action = <Button kind="primary" icon="plus" onClick={() => void create()}>Add webhook</Button>;
  return (
    <Sheet>
      <Page title="Webhooks" actions={action}>
        <Table
          label="Webhooks" list={webhooks} columns={columns} current={query.get("row") ?? undefined} onMove={(w) => setQuery({ row: w.id })}
          onOpen={(w) => navigate(href(`developers/webhooks/${w.id}`))}
          empty={<NoRows filtered={false} text="No webhooks yet. A webhook sends events to your own program." clear={() => {}} action={action} />}
        />
      </Page>
    </Sheet>
  );
}

const columns: Array<Column<Webhook>> = [
  { title: "Endpoint", wide: true, phone: "main", cell: (w) => <div class="t"><b><a href={href(`developers/webhooks/${w.id}`)}>{webhookName(w)}</a></b><small class="mono">{w.url}</small></div> },
  { title: "Events", cell: (w) => <span class="sub">{eventsText(w)}</span> },
  { title: "Health", phone: "top", cell: (w) => <Health of={w} /> },
  { title: "Changed", align: "right", phone: "bottom", cell: (w) => <span class="sub">{ago(w.updated_at)}</span> },
];

/** The note about a webhook, or its host. */
export function webhookName(webhook: Webhook): string {
  return webhook.description ?? new URL(webhook.url).host;
}

function eventsText({ events }: Webhook): string {
  if (events.includes("*")) return "All events";
  return events.length > 2 ? `${events.slice(0, 2).join(", ")} and ${events.length - 2} more` : events.join(", ");
}

/** Whether deliveries arrive. */
export function Health({ of: webhook }: { of: Webhook }) {
  if (webhook.status === "disabled") return <Status value="disabled" label={disabledReasons[webhook.disabled_reason ?? "requested"]!} />;
  if (webhook.failing_since) return <Status value="failing" label={`Failing since ${when(webhook.failing_since)}`} />;
  return <Status value={webhook.health} label={word(webhook.health)} />;
}

const disabledReasons: Record<string, string> = {
  requested: "Disabled", gone: "Disabled, it returned 410", failing: "Disabled, it failed for five days",
};

async function create(): Promise<void> {
  const webhook = await openForm({
    name: "new webhook", title: "Add webhook", submit: "Add webhook", wide: true,
    values: { url: "", description: "", events: "*" },
    save: async (v) => {
      const created = await api.webhooks.create({ url: v.url, description: v.description || null, events: split(v.events) });
      changed("webhook");
      return created;
    },
    fields: Fields,
  });
  if (!webhook) return;
  await showSecret("Signing secret", "Your program verifies the signature of each delivery with this secret. Store it now. Slipway can't show it again.", [["Signing secret", webhook.secret]]);
  navigate(href(`developers/webhooks/${webhook.id}`));
}

export function editWebhook(webhook: Webhook): void {
  const toValues = (w: Webhook) => ({ url: w.url, description: w.description ?? "", events: w.events.join(" ") });
  void openForm({
    name: "webhook " + webhook.id, title: "Edit webhook", submit: "Save", wide: true,
    version: webhook.version,
    values: toValues(webhook),
    save: async (_, c, options) => {
      await api.webhooks.update(webhook.id, {
        ...(c.url !== undefined && { url: c.url }), ...(c.description !== undefined && { description: c.description || null }),
        ...(c.events !== undefined && { events: split(c.events) }),
      }, options);
      changed("webhook", webhook.id);
      toast("Webhook saved.");
    },
    reload: async () => {
      const now = await api.webhooks.get(webhook.id);
      return { values: toValues(now), version: now.version };
    },
    fields: Fields,
  });
}

function Fields(form: Parameters<typeof EventPicker>[0]["form"]) {
  return (
    <>
      <TextField form={form} name="url" label="URL" type="url" required placeholder="https://example.com/hooks/slipway" />
      <TextField form={form} name="description" label="Description" hint="Your name for the endpoint, such as Website." />
      <EventPicker form={form} />
    </>
  );
}
