// Campaigns: messages to many people, and the lists of numbers that get none.
import { api, type DoNotCallList, type PreviewCampaign } from "../../api.ts";
import { count, date, dateTime } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Page, Section, Sheet } from "../../parts/layout.tsx";
import { Status, Tag } from "../../parts/status.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { can, whyNot } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { word } from "../../words.ts";
import { createCampaign } from "./form.tsx";

const columns: Array<Column<PreviewCampaign>> = [
  { title: "Name", wide: true, phone: "main", cell: (c) => <div class="t"><b><a href={href("campaigns/" + c.id)}>{c.name}</a></b><small>{c.subject ?? c.body}</small></div> },
  { title: "Channel", phone: "bottom", cell: (c) => <span class="sub">{word(c.channel)}</span> },
  { title: "Status", phone: "top", cell: (c) => <Status value={c.status} tone={tones[c.status]} /> },
  { title: "Starts", cell: (c) => <span class="sub">{c.send_at ? dateTime(c.send_at) : "Not started"}</span> },
];

export const tones = { draft: "gray", scheduled: "blue", sending: "blue", completed: "green", stopped: "amber" } as const;

// leads/campaigns
export function Campaigns() {
  const list = useList(["campaigns"], (page) => api.preview.campaigns.list({ ...page }), ["campaign"]);
  const writes = can("leads:write");
  useKeys({ c: writes ? createCampaign : undefined });
  useActions(writes ? [{ title: "New campaign", icon: "plus", key: "C", run: createCampaign }] : []);
  const add = writes && <Button kind="primary" icon="plus" onClick={createCampaign}>New campaign</Button>;
  return (
    <Sheet>
      <Page title="Campaigns" back={{ href: href("leads"), title: "Leads" }} actions={add}>
        <p class="part muted">A campaign sends a marketing message to many leads. It leaves out everyone whose consent doesn't allow it, and waits for each recipient's quiet hours.</p>
        <Table label="Campaigns" list={list} columns={columns} name={(c) => c.name} onOpen={(c) => navigate(href("campaigns/" + c.id))}
          empty={<NoRows filtered={false} text="No campaigns yet." clear={() => {}} action={add} />} />
        <DoNotCall />
      </Page>
    </Sheet>
  );
}

/** The uploaded do-not-call lists. */
function DoNotCall() {
  const list = useList(["do-not-call lists"], (page) => api.preview.campaigns.listDoNotCallLists({ ...page }), ["do_not_call_list"]);
  const why = whyNot("leads:write");
  const upload = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    try {
      const l = await api.preview.campaigns.createDoNotCallList(file, { name: file.name }, { contentType: "text/csv" });
      changed("do_not_call_list");
      toast(`${count(l.numbers, "number")} added.`);
    } catch (error) {
      toastError(error);
    }
  };
  const remove = async (l: DoNotCallList) => {
    if (!(await confirm({ title: `Delete ${l.name}?`, text: "Its numbers can get marketing messages again, unless another list has them.", action: "Delete list", danger: true }))) return;
    try {
      await api.preview.campaigns.deleteDoNotCallList(l.id);
      changed("do_not_call_list");
      toast("List deleted.");
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Section title="Do-not-call lists" action={!why && <label class="btn small">Upload a list<input class="vh" type="file" accept=".csv,.txt" onChange={(e) => void upload(e.currentTarget)} /></label>}>
      <p class="muted">Numbers on a list get no marketing text messages and no sales calls. Upload the files of the National Do-Not-Call Registry again at least every 31 days.</p>
      {list.data?.length ? (
        <table class="rows"><tbody>
          {list.data.map((l) => (
            <tr key={l.id}><td>{l.name}</td><td>{count(l.numbers, "number")}</td><td>{date(l.created_at)} {!l.complete && <Tag tone="amber">Incomplete</Tag>}</td><td class="r"><Button small why={why} onClick={() => void remove(l)}>Delete</Button></td></tr>
          ))}
        </tbody></table>
      ) : <p class="sub">No list was uploaded.</p>}
    </Section>
  );
}
