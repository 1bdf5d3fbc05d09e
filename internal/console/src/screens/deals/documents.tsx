// Documents of a deal.
import { useState } from "preact/hooks";
import { api, type Document, type DocumentKind, type PreviewDeal, type SignerRole } from "../../api.ts";
import { Form, useForm, type Values } from "../../form.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, Select, TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { setQuery, withQuery } from "../../router.ts";
import { can, session } from "../../session.ts";
import { options, word } from "../../words.ts";
import { DocumentStatus, unsigned } from "../documents/pane.tsx";
import { DealDialog } from "./dialog.tsx";
import { buyerName, documentsChanged, useDocuments, useMissingDocuments, useNext } from "./shared.ts";

export const documentKinds: DocumentKind[] = [
  "purchase_agreement", "buyers_order", "deposit_receipt", "bill_of_sale", "settlement_statement", "due_bill", "delivery_checklist", "sea_trial_acceptance", "survey", "insurance_binder",
  "credit_application", "retail_installment_contract", "product_contract", "product_waiver", "privacy_notice", "preferred_mortgage", "satisfaction_of_mortgage",
  "title_application", "registration_application", "exemption_affidavit", "power_of_attorney", "payoff_authorization", "trade_title", "mso_boat", "mso_engine", "mso_trailer", "odometer",
  "uscg_cg1258", "uscg_cg1261", "uscg_cg1340",
];

export function DealDocuments({ deal }: { deal: PreviewDeal }) {
  const documents = useDocuments(deal.id);
  const [dialog, setDialog] = useState<"issue" | "upload" | "sign">();
  const [kind, setKind] = useState<DocumentKind>("purchase_agreement");
  const issue = (which: DocumentKind) => {
    setKind(which);
    setDialog("issue");
  };
  const close = () => setDialog(undefined);
  const writes = can("deals:write") && deal.status !== "cancelled";
  return (
    <section id="documents">
      <h2>
        Documents
        {writes && (
          <span class="part-action">
            <Menu
              class="link" align="end" label="Add document" button="Add"
              items={[{ title: "Issue a document", icon: "document", onClick: () => issue("purchase_agreement") }, { title: "Upload a file", icon: "upload", onClick: () => setDialog("upload") }]}
            />
          </span>
        )}
      </h2>
      <Loaded load={documents} rows={2}>
        {({ data }) => (data.length === 0 ? <p class="muted small">No documents yet.</p> : (
          <ul class="checks">
            {data.map((d) => (
              <li key={d.id} class={d.status === "voided" ? "off" : ""}><Icon name="document" /><a href={withQuery({ document: d.id })}>{d.title}</a><DocumentStatus document={d} /></li>
            ))}
          </ul>
        ))}
      </Loaded>
      {writes && documents.data && <Suggestions deal={deal} documents={documents.data.data} onIssue={issue} onSign={() => setDialog("sign")} />}
      {dialog === "sign" && <SignaturesDialog deal={deal} documents={documents.data!.data} onClose={close} />}
      {dialog === "issue" && <IssueDialog deal={deal} kind={kind} onClose={close} />}
      {dialog === "upload" && <UploadDialog deal={deal} onClose={close} />}
    </section>
  );
}

/** What the papers of this deal still need: the usual ones in one step, and all signatures in another. */
function Suggestions({ deal, documents, onIssue, onSign }: { deal: PreviewDeal; documents: Document[]; onIssue: (kind: DocumentKind) => void; onSign: () => void }) {
  const next = useNext(deal.id);
  const missing = useMissingDocuments(deal.id).data?.data ?? [];
  const [busy, setBusy] = useState(false);
  const again = next.data?.steps.some((s) => s.missing.some((m) => m.code === "agreement_hin"));
  const forOwner = deal.sale_type === "brokerage" || deal.hull?.ownership === "brokerage" || deal.hull?.ownership === "consignment";
  const unlisted = !!deal.accepted_offer_id && forOwner && !documents.some((d) => d.kind === "settlement_statement" && d.status !== "voided")
    && !missing.some((m) => m.kind === "settlement_statement");
  const waiting = documents.filter((d) => d.status !== "voided" && unsigned(d).length > 0).length;
  const issueAll = async () => {
    const issued = await api.preview.finance.issueMissingDocuments(deal.id);
    documentsChanged(deal.id);
    toast(`${issued.data.length} ${issued.data.length === 1 ? "document" : "documents"} issued.`);
  };
  const onAll = () => {
    setBusy(true);
    void issueAll().catch(toastError).finally(() => setBusy(false));
  };
  return (
    <>
      {again && <p class="note">The agreement doesn't state the HIN. <button type="button" class="link" onClick={() => onIssue("purchase_agreement")}>Issue it again</button></p>}
      {unlisted && <p class="note">The boat is sold for its owner. <button type="button" class="link" onClick={() => onIssue("settlement_statement")}>Issue the settlement statement</button></p>}
      {(missing.length > 0 || waiting > 0) && (
        <div class="papers">
          {missing.length > 0 && <p>Still needed: {missing.map((m) => m.title).join(", ")}</p>}
          {missing.length > 0 && <Button small icon="document" busy={busy} onClick={onAll}>{missing.length === 1 ? "Issue it" : `Issue all ${missing.length}`}</Button>}
          {waiting > 0 && <Button small icon="edit" onClick={onSign}>Record signatures</Button>}
        </div>
      )}
    </>
  );
}

/** Records the signatures of several documents that people signed together. */
function SignaturesDialog({ deal, documents, onClose }: { deal: PreviewDeal; documents: Document[]; onClose: () => void }) {
  const [waiting] = useState(() => documents.filter((d) => d.status !== "voided" && unsigned(d).length > 0));
  const signers = roles.filter((role) => waiting.some((d) => unsigned(d).includes(role)));
  const names: Partial<Record<SignerRole, string>> = { buyer: deal.buyer ? buyerName(deal) : "", dealer: session.user.name };
  const form = useForm<Values>({
    name: "signatures " + deal.id,
    values: Object.fromEntries([...signers.map((role): [string, string] => [role, names[role] ?? ""]), ...waiting.map((d): [string, string] => [d.id, "yes"])]),
    save: async (v) => {
      // In the order of the sale. If one is refused, those before it are recorded, and the others still wait.
      const chosen = [...waiting].reverse().filter((d) => v[d.id]);
      try {
        for (const d of chosen) {
          for (const role of unsigned(d).filter((r) => v[r])) await api.finance.signDocument(deal.id, d.id, { signer_role: role, signer_name: v[role]! });
        }
      } finally {
        documentsChanged(deal.id);
      }
      toast("Signatures recorded.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title="Record signatures" form={form} submit="Record signatures" onClose={onClose}>
      <p>Record signatures after the people signed the documents. This has no Undo. Leave a name empty if the person has not signed.</p>
      <div class="form-row">{signers.map((role) => <TextField key={role} form={form} name={role} label={word(role)} />)}</div>
      <fieldset class="checklist"><legend>Documents</legend>
        {waiting.map((d) => <CheckField key={d.id} form={form} name={d.id} label={d.title} hint={unsigned(d).map((r) => word(r)).join(", ")} />)}
      </fieldset>
    </DealDialog>
  );
}

const roles: SignerRole[] = ["buyer", "co_buyer", "dealer", "lender"];

/** Issues a document and shows it. */
function IssueDialog({ deal, kind, onClose }: { deal: PreviewDeal; kind: DocumentKind; onClose: () => void }) {
  const current = useDocuments(deal.id).data?.data ?? [];
  const form = useForm({
    name: "issue " + deal.id,
    values: { kind: kind as string, title: "", choose: "", buyer: "yes", co_buyer: "", dealer: "yes", lender: "", replace: "yes", lines: "" },
    save: async (v) => {
      const document = await api.finance.issueDocument(deal.id, {
        kind: v.kind as DocumentKind, title: v.title || null,
        ...(v.choose && { required_signers: roles.filter((role) => v[role as keyof typeof v]) }),
        ...(v.kind === "due_bill" && v.lines.trim() && { lines: v.lines.split("\n").filter((l) => l.trim()).map((l) => ({ description: l.trim() })) }),
        ...(old && v.replace && { supersedes_id: old.id }),
      });
      documentsChanged(deal.id);
      toast(`${document.title} issued.`);
      setQuery({ document: document.id });
    },
    onSaved: onClose,
  });
  const old = current.find((d) => d.kind === form.values.kind && d.status !== "voided" && d.origin === "issued");
  return (
    <DealDialog title="Issue a document" form={form} submit="Issue document" onClose={onClose}>
      <Select form={form} name="kind" label="Document" required choices={options(documentKinds)} />
      <TextField form={form} name="title" label="Title" hint="The usual title if empty." />
      {form.values.kind === "due_bill" && <TextArea form={form} name="lines" label="What you owe the buyer" hint="One part or service per line. Blank lines to fill in by hand if empty." />}
      {old && <CheckField form={form} name="replace" label={`Replace document ${old.number}`} hint="The old document is voided. A signed agreement without a HIN stays until everyone has signed the new one." />}
      <CheckField form={form} name="choose" label="Choose who signs" hint="By default, the usual signers." />
      {form.values.choose && <div class="form-row">{roles.map((role) => <CheckField key={role} form={form} name={role as "buyer"} label={word(role)} />)}</div>}
      <p class="field-hint">You see the PDF next. It is not sent to anyone.</p>
    </DealDialog>
  );
}

function UploadDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const [file, setFile] = useState<File>();
  return (
    <Dialog title="Upload a file" onClose={onClose}>
      {file ? <UploadForm deal={deal} file={file} onClose={onClose} /> : (
        <label class="field">
          PDF, JPEG or PNG
          <input type="file" accept="application/pdf,image/jpeg,image/png" onChange={(e) => setFile(e.currentTarget.files?.[0])} />
        </label>
      )}
    </Dialog>
  );
}

function UploadForm({ deal, file, onClose }: { deal: PreviewDeal; file: File; onClose: () => void }) {
  const form = useForm({
    name: "upload " + deal.id,
    values: { kind: "insurance_binder", title: "" },
    save: async ({ kind, title }) => {
      const document = await api.preview.finance.uploadDocument(deal.id, file, { kind, ...(title && { title }) });
      documentsChanged(deal.id);
      toast("File uploaded.");
      setQuery({ document: document.id });
    },
    onSaved: onClose,
  });
  return (
    <Form form={form} submit="Upload" onCancel={onClose}>
      <p class="mono">{file.name}</p>
      <Select form={form} name="kind" label="Closest kind" required choices={options(documentKinds)} />
      <TextField form={form} name="title" label="What it is" />
    </Form>
  );
}
