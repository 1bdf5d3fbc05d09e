// A document next to a list: the file, who signed it, and what to do with it.
import { useEffect, useState } from "preact/hooks";
import { api, type Document, type SignerRole } from "../../api.ts";
import { download } from "../../csv.ts";
import { useForm } from "../../form.tsx";
import { bytes, date, dateTime } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, usePlace } from "../../router.ts";
import { can, session } from "../../session.ts";
import { word } from "../../words.ts";
import { DealDialog } from "../deals/dialog.tsx";
import { buyerName, dealBoat, documentsChanged, useDeal } from "../deals/shared.ts";

/** Roles that have not signed yet. */
export function unsigned(document: Document): SignerRole[] {
  return document.required_signers.filter((role) => !document.signatures.some((s) => s.signer_role === role));
}

/** Where a document stands, in words. */
export function DocumentStatus({ document }: { document: Document }) {
  const { status, required_signers: required, signatures } = document;
  if (status === "voided") return <Tag>Voided</Tag>;
  if (status === "signed") return <Tag tone="green">Signed</Tag>;
  if (!required.length) return <Tag>On file</Tag>;
  return <Tag tone="amber">{signatures.length ? `${signatures.length} of ${required.length} signed` : "Not signed"}</Tag>;
}

/** What a dialog needs. onSaved shows the document that the API returned. */
interface DialogProps {
  document: Document;
  onSaved: (document: Document) => void;
  onClose: () => void;
}

export function DocumentPane({ dealId, id, onClose }: { dealId: string; id: string; onClose: () => void }) {
  const document = useLoad(["document", id], () => api.finance.getDocument(dealId, id), [id]);
  const [dialog, setDialog] = useState<"sign" | "void">();
  const close = () => setDialog(undefined);
  const { data } = document;
  const writes = can("deals:write");
  const footer = data && (
    <>
      {writes && data.status !== "voided" && <Button onClick={() => setDialog("void")}>Void</Button>}
      {data.status === "signed" && data.origin === "issued"
        ? <Button icon="download" onClick={() => void save(data, true).catch(toastError)}>Signed copy</Button>
        : <Button icon="download" onClick={() => void save(data, false).catch(toastError)}>Download</Button>}
      {writes && data.status !== "voided" && unsigned(data).length > 0 && <Button kind="primary" onClick={() => setDialog("sign")}>Sign</Button>}
    </>
  );
  return (
    <Peek label={data?.title ?? "Document"} code={data ? `Document ${data.number}` : ""} onClose={onClose} footer={footer}>
      <Loaded load={document}>{(d) => <Body document={d} />}</Loaded>
      {dialog === "sign" && data && <SignDialog document={data} onSaved={document.replace} onClose={close} />}
      {dialog === "void" && data && <VoidDialog document={data} onSaved={document.replace} onClose={close} />}
    </Peek>
  );
}

function Body({ document: d }: { document: Document }) {
  const { data: deal } = useDeal(d.deal_id);
  const { path } = usePlace();
  return (
    <div class="document">
      <div class="row"><h2>{d.title}</h2><DocumentStatus document={d} /></div>
      {deal && path === "documents" && <p class="small"><a class="link" href={href(`deals/${deal.id}`)}>{buyerName(deal)}, {dealBoat(deal)}</a></p>}
      {d.void_reason && <p class="note"><Icon name="alert" />Voided{d.voided_at && ` on ${date(d.voided_at)}`}: {d.void_reason}</p>}
      <Preview key={d.sha256} document={d} />
      {d.required_signers.length > 0 && (
        <ul class="checks" aria-label="Signatures">
          {d.required_signers.map((role) => {
            const signature = d.signatures.find((s) => s.signer_role === role);
            return (
              <li key={role} class={signature ? "yes" : ""}>
                <Icon name={signature ? "check" : "clock"} />
                <span>{word(role)}</span>
                <span class="small">{signature ? `${signature.signer_name}, ${dateTime(signature.signed_at)}` : "Waiting"}</span>
              </li>
            );
          })}
        </ul>
      )}
      <Facts facts={[
        [d.origin === "uploaded" ? "Uploaded by" : "Issued by", d.issued_by.label],
        ["On", dateTime(d.created_at)],
        ["Size", d.page_count ? `${d.page_count} ${d.page_count === 1 ? "page" : "pages"}, ${bytes(d.size_bytes)}` : bytes(d.size_bytes)],
        ["SHA-256", <span class="mono hash">{d.sha256}</span>],
      ]} />
    </div>
  );
}

/** The file as a blob, so that the page's policy allows it. Nothing is sent to anyone. */
function Preview({ document: d }: { document: Document }) {
  const [url, setUrl] = useState<string>();
  const file = useLoad(["file", d.id], async () => (await api.finance.getDocumentContent(d.deal_id, d.id)).blob());
  useEffect(() => {
    if (!file.data) return;
    const created = URL.createObjectURL(new Blob([file.data], { type: d.content_type }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file.data]);
  return (
    <Loaded load={file} rows={8}>
      {() => url && (d.content_type.startsWith("image/") ? <img class="preview" src={url} alt={d.title} /> : <iframe class="preview" src={url} title={d.title} />)}
    </Loaded>
  );
}

async function save(d: Document, executed: boolean): Promise<void> {
  const response = await (executed ? api.preview.finance.getExecutedDocument(d.deal_id, d.id) : api.finance.getDocumentContent(d.deal_id, d.id));
  const extension = d.content_type.split("/")[1]!.replace("jpeg", "jpg");
  download(`${d.title} ${d.number}.${extension}`, await response.blob());
}

function SignDialog({ document: d, onSaved, onClose }: DialogProps) {
  const { data: deal } = useDeal(d.deal_id);
  const roles = unsigned(d);
  const nameOf = (role: string) => (role === "dealer" ? session.user.name : role === "buyer" && deal?.buyer ? buyerName(deal) : "");
  const form = useForm({
    name: "sign " + d.id,
    values: { signer_role: roles[0] as string, signer_name: nameOf(roles[0]!) },
    save: async (v) => {
      onSaved(await api.finance.signDocument(d.deal_id, d.id, { signer_role: v.signer_role as SignerRole, signer_name: v.signer_name }));
      documentsChanged(d.deal_id);
      toast("Signature recorded.");
    },
    onSaved: onClose,
  });
  const { signer_role: role } = form.values;
  useEffect(() => form.set("signer_name", nameOf(role)), [role]);
  return (
    <DealDialog title={`Sign ${d.title}`} form={form} submit="Record signature" onClose={onClose}>
      <p>Record a signature after the person signed the document.</p>
      <Select form={form} name="signer_role" label="Who signed" required choices={roles.map((r) => [r, word(r)])} />
      <TextField form={form} name="signer_name" label="Name" required />
    </DealDialog>
  );
}

function VoidDialog({ document: d, onSaved, onClose }: DialogProps) {
  const form = useForm({
    name: "void " + d.id,
    values: { reason: "" },
    save: async ({ reason }) => {
      onSaved(await api.finance.voidDocument(d.deal_id, d.id, { reason }));
      documentsChanged(d.deal_id);
      toast("Document voided.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={`Void ${d.title}?`} form={form} submit="Void document" onClose={onClose}>
      <TextField form={form} name="reason" label="Reason" required />
    </DealDialog>
  );
}
