// Quarantine: messages of new senders that wait, because too many wrote in the same hour.
import { api, type PreviewQuarantinedMessage } from "../../api.ts";
import { ago, count, date, excerpt, phone } from "../../format.ts";
import { changed, useList, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { whyNot } from "../../session.ts";

const watch = ["quarantine", "lead", "contact"];

/** The line above the leads. It shows nothing while nothing waits. */
export function QuarantineLine() {
  const { data } = useLoad(["quarantine"], () => api.preview.leads.listQuarantinedMessages({ limit: 100 }), watch);
  if (!data?.data.length) return null;
  const messages = data.has_more ? "More than 100 messages wait" : `${count(data.data.length, "message")} ${data.data.length === 1 ? "waits" : "wait"}`;
  return <p class="note"><a class="link" href={href("leads/quarantine")}>{messages} in quarantine</a></p>;
}

// leads/quarantine
export function Quarantine() {
  const list = useList(["quarantined messages"], (page) => api.preview.leads.listQuarantinedMessages({ ...page }), watch);
  return (
    <Sheet>
      <Page title="Quarantine" back={{ href: href("leads"), title: "Leads" }}>
        <p class="muted">Too many new senders wrote in the same hour, so their messages wait here and create no leads. Release what is from a customer. The rest is deleted after 30 days.</p>
        <Table label="Messages in quarantine" list={list} columns={columns} empty={<NoRows filtered={false} text="No messages wait in quarantine." clear={() => {}} />} />
      </Page>
    </Sheet>
  );
}

const columns: Array<Column<PreviewQuarantinedMessage>> = [
  { title: "Message", wide: true, phone: "main", cell: (m) => <div class="t"><b>{m.subject ?? sender(m)}</b><small>{excerpt(m.body)}</small></div> },
  { title: "From", phone: "bottom", cell: (m) => <span class="sub">{sender(m)} {m.sender_verified === false && <Tag tone="amber">Sender not verified</Tag>}</span> },
  { title: "Received", cell: (m) => <span class="sub" title={`Deleted on ${date(m.expires_at)}`}>{ago(m.received_at)}</span> },
  { title: "Decision", phone: "top", align: "right", cell: (m) => <Decision message={m} /> },
];

function sender(m: PreviewQuarantinedMessage): string {
  const address = m.channel === "sms" ? phone(m.from) : m.from;
  return m.name ? `${m.name} (${address})` : address;
}

function Decision({ message: m }: { message: PreviewQuarantinedMessage }) {
  const why = whyNot("leads:write");
  const release = async () => {
    try {
      const { lead_id } = await api.preview.leads.releaseQuarantinedMessage(m.id);
      changed("lead", "quarantine");
      toast("Released.");
      if (lead_id) navigate(href("leads/" + lead_id));
    } catch (error) {
      toastError(error);
    }
  };
  const remove = async () => {
    if (!(await confirm({ title: `Delete the message from ${sender(m)}?`, text: "You can't undo this.", action: "Delete message", danger: true }))) return;
    try {
      await api.preview.leads.deleteQuarantinedMessage(m.id);
      changed("quarantine");
      toast("Deleted.");
    } catch (error) {
      toastError(error);
    }
  };
  return <><Button small onClick={release} why={why}>Release</Button> <Button small onClick={remove} why={why}>Delete</Button></>;
}
