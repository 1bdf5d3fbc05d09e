// Dialogs that functions open: forms, secrets that are shown once, and two-factor codes.
import { render, type ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { SlipwayError, api, type UserFactor } from "../api.ts";
import { Form, discardDraft, useForm, type FormOptions, type FormState, type Values } from "../form.tsx";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Dialog, confirm } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Refusal } from "../parts/state.tsx";
import { toastError } from "../parts/toast.tsx";
import { session } from "../session.ts";

/** Shows a dialog until it calls done, and returns the result. */
export function open<T = void>(content: (done: (result?: T) => void) => ComponentChildren): Promise<T | undefined> {
  const root = document.body.appendChild(document.createElement("div"));
  return new Promise((resolve) => {
    const done = (result?: T) => {
      render(null, root);
      root.remove();
      resolve(result);
    };
    render(content(done), root);
  });
}

interface FormDialog<V extends Values, T> extends Omit<FormOptions<V>, "onSaved"> {
  save: (...args: Parameters<FormOptions<V>["save"]>) => Promise<T>;
  title: string;
  submit: string;
  wide?: boolean;
  fields: (form: FormState<V>) => ComponentChildren;
}

/** Shows a form in a dialog until it is saved or canceled. Returns what save returns, or undefined if it is canceled. */
export function openForm<V extends Values, T>(options: FormDialog<V, T>): Promise<T | undefined> {
  return open<T>((done) => <OpenForm options={options} done={done} />);
}

function OpenForm<V extends Values, T>({ options, done }: { options: FormDialog<V, T>; done: (result?: T) => void }) {
  const result = useRef<T | undefined>(undefined);
  const save = async (...args: Parameters<FormOptions<V>["save"]>) => void (result.current = await options.save(...args));
  const form = useForm({ ...options, save, onSaved: () => done(result.current) });
  const cancel = () => {
    form.reset();
    setTimeout(done);
  };
  return (
    <Dialog title={options.title} {...(options.wide && { wide: true })} onClose={cancel}>
      <Form form={form} submit={options.submit} onCancel={cancel}>{options.fields(form)}</Form>
    </Dialog>
  );
}

/** Copies text, and says so on the button. */
export function CopyButton({ text, label = "Copy", onCopy }: { text: string; label?: string; onCopy?: () => void }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopy?.();
  };
  return <Button small icon={copied ? "check" : "copy"} onClick={() => void copy().catch(() => toastError(new Refusal("Your browser doesn't allow this. Select the text and copy it.")))}>{copied ? "Copied" : label}</Button>;
}

/** A value in monospace with a button to copy it. */
export function Copyable({ text, onCopy }: { text: string; onCopy?: () => void }) {
  return <div class="copyable"><code>{text}</code><CopyButton text={text} {...(onCopy && { onCopy })} /></div>;
}

/** Shows secrets that the API doesn't return again. The dialog only closes when the user has copied or confirmed. */
export function showSecret(title: string, text: string, secrets: Array<[string, string | null]>): Promise<void> {
  return open((done) => <Secret {...{ title, text, secrets }} done={() => done()} />);
}

function Secret({ title, text, secrets, done }: { title: string; text: string; secrets: Array<[string, string | null]>; done: () => void }) {
  const [stored, setStored] = useState(false);
  const close = async () => {
    const question = { title: "Close without storing it?", text: "Slipway can't show it again.", action: "Close", danger: true };
    if (stored || (await confirm(question))) done();
  };
  return (
    <Dialog title={title} onClose={() => void close()}>
      <div class="form">
        <p>{text}</p>
        {secrets.map(([name, value]) => value && <div key={name} class="field"><span>{name}</span><Copyable text={value} onCopy={() => setStored(true)} /></div>)}
        <label class="check-line"><input type="checkbox" checked={stored} onChange={(e) => setStored(e.currentTarget.checked)} /><span>I stored it in a safe place</span></label>
        <div class="form-end"><Button kind="primary" disabled={!stored} onClick={done}>Done</Button></div>
      </div>
    </Dialog>
  );
}

/** What a two-factor token is for: an operation, and the first ID of its path. It works for nothing else. */
export interface Purpose {
  operation: string;
  object_id?: string;
}

/**
 * Runs a write that affects the admin scope. If the user needs a two-factor code for it, asks for one first. The API
 * decides: if it requires a token that we didn't expect, the write is sent again with one.
 */
export async function verified<T>(purpose: Purpose, expected: boolean, write: (token: string | undefined) => PromiseLike<T>): Promise<T> {
  const token = expected ? await askToken(purpose) : undefined;
  try {
    return await write(token);
  } catch (error) {
    const required = error instanceof SlipwayError && error.details.some((d) => d.code === "mfa");
    if (!required || token) throw error;
    return write(await askToken(purpose));
  }
}

/** The property mfa_token of a body. */
export function withToken(token: string | undefined): { mfa_token?: string } {
  return token ? { mfa_token: token } : {};
}

/** Options with the MFA-Token header, for operations without a body. */
export function tokenHeader(token: string | undefined): { mfaToken?: string } {
  return token ? { mfaToken: token } : {};
}

/** Verifies a two-factor method of the user, and returns the token. */
async function askToken(purpose: Purpose): Promise<string> {
  const user = await api.dealership.getUser(session.user.id);
  const factors = user.mfa_factors.filter((f) => f.active);
  const token = await open<string>((done) => (factors.length ? <Verify factors={factors} purpose={purpose} done={done} /> : <NoFactor done={done} />));
  if (!token) throw new Refusal("You canceled the two-factor verification. Nothing was changed.");
  return token;
}

function NoFactor({ done }: { done: () => void }) {
  return (
    <Dialog title="Set up two-factor verification" onClose={done}>
      <div class="form">
        <p>This change affects the admin scope. It requires a two-factor code, and your account has no two-factor method yet.</p>
        <div class="form-end"><Button onClick={done}>Cancel</Button><ButtonLink kind="primary" href={session.account_url}>Open your account</ButtonLink></div>
      </div>
    </Dialog>
  );
}

function Verify({ factors, purpose, done }: { factors: UserFactor[]; purpose: Purpose; done: (token?: string) => void }) {
  const app = factors.find((f) => f.kind === "totp");
  const passkey = factors.find((f) => f.kind === "webauthn");
  const form = useForm({
    name: "two-factor code",
    values: { code: "" },
    save: async ({ code }) => {
      const factor = app ?? passkey!;
      done((await api.access.verifyMfaFactor(session.user.id, factor.id, { ...purpose, code: code.trim() })).mfa_token ?? undefined);
    },
  });
  const cancel = () => {
    discardDraft("two-factor code");
    done();
  };
  const usePasskey = async () => done(await assert(passkey!, purpose));
  return (
    <Dialog title="Two-factor verification" onClose={cancel}>
      <Form form={form} submit="Verify" onCancel={cancel}>
        <p>This change affects the admin scope. Enter the code of your authenticator app or a recovery code.</p>
        <TextField form={form} name="code" label="Code" required autocomplete="one-time-code" />
        {passkey && <div><Button icon="key" onClick={() => void usePasskey().catch(toastError)}>Use your passkey</Button></div>}
      </Form>
    </Dialog>
  );
}

/** Signs a challenge with a passkey, and returns the token. */
async function assert(factor: UserFactor, purpose: Purpose): Promise<string | undefined> {
  const { challenge } = await api.access.verifyMfaFactor(session.user.id, factor.id, {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON((challenge["publicKey"] ?? challenge) as never);
  const credential = (await navigator.credentials.get({ publicKey }).catch(() => null)) as PublicKeyCredential | null;
  if (!credential) throw new Refusal("The passkey was not used.");
  const assertion = credential.toJSON() as Record<string, unknown>;
  return (await api.access.verifyMfaFactor(session.user.id, factor.id, { ...purpose, assertion })).mfa_token ?? undefined;
}
