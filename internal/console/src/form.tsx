// Forms. Values are the text of the inputs. Errors of the API appear at their field. Input that is not saved survives
// a reload, for example to sign in again. If someone else changed the object, the user decides field by field.
//
//   const form = useForm({
//     name: "boat " + boat.id, version: boat.version,
//     values: { title: boat.title ?? "" },
//     save: (values, changes, options) => api.hulls.update(boat.id, { title: values.title || null }, options),
//     reload: async () => toValues(await api.hulls.get(boat.id)),
//   });
//   <Form form={form} submit="Save"><TextField form={form} name="title" label="Title" /></Form>
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { SlipwayError } from "./api.ts";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { ErrorNote } from "./parts/state.tsx";
import type { Parse } from "./numbers.ts";
import { mode } from "./router.ts";

/** Text of the inputs. A checkbox is "yes" or "". */
export type Values = Record<string, string>;

export interface FormOptions<V extends Values> {
  /** Names the form, to keep its input. */
  name: string;
  /** Version of the object that is edited. Leave it out for a new object. */
  version?: number;
  /** What is saved now, or the defaults of a new object. */
  values: V;
  /** Saves all values of a new object, or the changes of an object at a version. */
  save: (values: V, changes: Partial<V>, options: { ifVersion?: number }) => Promise<unknown>;
  /** Loads the current values after a conflict. */
  reload?: () => Promise<{ values: V; version: number }>;
  /** Called after the form was saved. */
  onSaved?: () => void;
}

/** A field that was changed here and by someone else. */
export interface Conflict {
  name: string;
  mine: string;
  theirs: string;
}

export interface FormState<V extends Values> {
  id: string;
  values: V;
  /** What is wrong with a field. */
  errors: Partial<Record<keyof V & string, string>>;
  /** The fields on the screen, by name. Errors and conflicts use their labels. */
  fields: Map<string, { label: string; required: boolean; parse?: Parse }>;
  /** What is wrong with the form as a whole. */
  error: Error | undefined;
  conflicts: Conflict[];
  dirty: boolean;
  /** Whether the input is from before a reload. */
  restored: boolean;
  /** Whether someone else changed the object since the user started to edit. */
  outdated: boolean;
  saving: boolean;
  /** How often the form was submitted, but not sent. */
  attempts: number;
  set: (name: keyof V & string, value: string) => void;
  /** Reads a field that the user leaves. */
  check: (name: keyof V & string) => void;
  submit: () => Promise<void>;
  reset: () => void;
  /** Takes over what someone else saved, and keeps what the user changed. */
  merge: () => Promise<void>;
  /** Decides a conflict. */
  resolve: (name: string, take: "mine" | "theirs") => void;
}

interface Draft<V> {
  base: V;
  version: number | undefined;
  values: V;
}

function draftKey(name: string): string {
  return `slipway-draft ${mode} ${name}`;
}

function readDraft<V>(name: string): Draft<V> | undefined {
  const text = sessionStorage.getItem(draftKey(name));
  return text ? (JSON.parse(text) as Draft<V>) : undefined;
}

/** Puts text into a form that is opened later, as if the user had typed it. */
export function keepDraft<V extends Values>(name: string, base: V, values: V): void {
  sessionStorage.setItem(draftKey(name), JSON.stringify({ base, values }));
}

/** Removes the input of a form that was not saved. */
export function discardDraft(name: string): void {
  sessionStorage.removeItem(draftKey(name));
}

export function useForm<V extends Values>(options: FormOptions<V>): FormState<V> {
  const id = useId();
  const fields: FormState<V>["fields"] = useRef(new Map()).current;
  const fresh: Draft<V> = { base: options.values, version: options.version, values: options.values };
  const [found] = useState(() => readDraft<V>(options.name));
  const [draft, setDraft] = useState<Draft<V>>(found ?? fresh);
  const [restored, setRestored] = useState(!!found);
  const [error, setError] = useState<Error>();
  const [missing, setMissing] = useState<string[]>([]);
  const [rejected, setRejected] = useState<Record<string, { text: string; error: string }>>({});
  const [attempts, setAttempts] = useState(0);
  const [conflicts, setConflicts] = useState<Conflict[]>([]);
  const [saving, setSaving] = useState(false);

  const changes = changed(draft.base, draft.values);
  const dirty = Object.keys(changes).length > 0;
  const outdated = options.version !== undefined && draft.version !== undefined && options.version > draft.version;

  // A form without changes follows what others save. The user can have typed since it was rendered.
  useEffect(() => {
    if (outdated) setDraft((d) => (Object.keys(changed(d.base, d.values)).length > 0 ? d : fresh));
  }, [outdated, dirty]);

  useEffect(() => {
    if (dirty) sessionStorage.setItem(draftKey(options.name), JSON.stringify(draft));
    else discardDraft(options.name);
  }, [draft, dirty]);

  const errors = error instanceof SlipwayError ? fieldErrors(error, fields) : {};
  for (const name of missing) if (!draft.values[name]) errors[name] = `${fields.get(name)?.label} is required.`;
  for (const [name, { text, error }] of Object.entries(rejected)) if (draft.values[name] === text) errors[name] = `${fields.get(name)?.label} ${error}.`;

  async function send(from: Draft<V>): Promise<void> {
    await options.save(from.values, changed(from.base, from.values), from.version === undefined ? {} : { ifVersion: from.version });
    discardDraft(options.name);
    setDraft({ ...from, base: from.values });
    setError(undefined);
    setRestored(false);
    options.onSaved?.();
  }

  /** Reads the text of fields. Returns the values, and what is wrong with the others. */
  function read(names: string[]): { values: V; wrong: typeof rejected } {
    const values: Values = { ...draft.values };
    const wrong: typeof rejected = {};
    for (const name of names) {
      const text = values[name] ?? "";
      const parsed = fields.get(name)?.parse?.(text);
      if (parsed?.error !== undefined) wrong[name] = { text, error: parsed.error };
      else if (parsed) values[name] = parsed.value;
    }
    return { values: values as V, wrong };
  }

  /** Applies the user's changes to the current values. Returns the fields that both changed. */
  async function rebase(from: Draft<V>): Promise<{ next: Draft<V>; both: Conflict[] }> {
    const theirs = await options.reload!();
    const { values, both } = merge(from.base, from.values, theirs.values);
    const next = { base: theirs.values, version: theirs.version, values };
    setDraft(next);
    setConflicts(both);
    return { next, both };
  }

  async function submit(): Promise<void> {
    if (saving) return;
    const { values, wrong } = read([...fields.keys()]);
    const from = { ...draft, values };
    const empty = [...fields].filter(([name, field]) => field.required && !values[name]).map(([name]) => name);
    setDraft(from);
    setMissing(empty);
    setRejected(wrong);
    setError(undefined);
    if (empty.length > 0 || Object.keys(wrong).length > 0) {
      setAttempts(attempts + 1);
      return;
    }

    setSaving(true);
    try {
      await send(from).catch(async (e: unknown) => {
        if (!isStale(e) || !options.reload) throw e;
        const { next, both } = await rebase(from);
        if (both.length === 0) await send(next);
      });
    } catch (e) {
      setError(e as Error);
    } finally {
      setSaving(false);
    }
  }

  return {
    id, fields, conflicts, dirty, restored, outdated, saving, attempts, error, submit,
    values: draft.values,
    errors: errors as FormState<V>["errors"],
    set: (name, value) => setDraft((d) => ({ ...d, values: { ...d.values, [name]: value } })),
    check: (name) => {
      const { values, wrong } = read([name]);
      const typed = draft.values[name]; // the user can have typed since the form was rendered
      if (values[name] !== typed) setDraft((d) => (d.values[name] === typed ? { ...d, values: { ...d.values, [name]: values[name] } } : d));
      setRejected((all) => ({ ...all, ...wrong }));
    },
    reset: () => {
      discardDraft(options.name); // a form that is closed doesn't render again
      setDraft(fresh);
      setError(undefined);
      setMissing([]);
      setRejected({});
      setConflicts([]);
      setRestored(false);
    },
    merge: async () => void (options.reload && (await rebase(draft))),
    resolve: (name, take) => {
      if (take === "theirs") setDraft((d) => ({ ...d, values: { ...d.values, [name]: d.base[name] } }));
      setConflicts((all) => all.filter((c) => c.name !== name));
    },
  };
}

function changed<V extends Values>(base: V, values: V): Partial<V> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== base[name])) as Partial<V>;
}

/** Returns the values of both, and the fields that both changed to something else. There, mine stay. */
export function merge<V extends Values>(base: V, mine: V, theirs: V): { values: V; both: Conflict[] } {
  const changes = changed(base, mine);
  const both = Object.entries(changes)
    .filter(([name, value]) => theirs[name] !== base[name] && theirs[name] !== value)
    .map(([name, value]) => ({ name, mine: value!, theirs: theirs[name] ?? "" }));
  return { values: { ...theirs, ...changes }, both };
}

/** Reports whether a write failed because the object has changed since it was loaded. */
function isStale(error: unknown): boolean {
  return error instanceof SlipwayError && error.details.some((d) => d.code === "stale");
}

/** Completes the messages of the API: "Year must be at least 1900." */
function fieldErrors(error: SlipwayError, fields: Map<string, { label: string }>): Values {
  const errors: Values = {};
  for (const { field, message } of error.details) {
    const label = fields.get(field)?.label;
    if (label) errors[field] ??= `${label} ${message}.`;
  }
  return errors;
}

/** A form with its buttons, errors and conflicts. */
export function Form<V extends Values>(props: {
  form: FormState<V>;
  submit: string;
  /** Whether something that the form names is in the way. */
  blocked?: boolean;
  onCancel?: () => void;
  children: ComponentChildren;
}) {
  const { form } = props;
  const ref = useRef<HTMLFormElement>(null);

  // Only after the user submits the form: a user who leaves a field must not be led back to it.
  useEffect(() => {
    ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form.error, form.attempts]);

  const unplaced = form.error && !Object.keys(form.errors).length ? form.error : undefined;
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void form.submit();
  };
  return (
    <form ref={ref} class="form" noValidate onSubmit={onSubmit}>
      {form.restored && form.dirty && (
        <Notice text="Your unsaved changes were restored." action="Discard them" onAction={form.reset} />
      )}
      {form.outdated && form.dirty && !form.conflicts.length && (
        <Notice text="Someone just changed this." action="Show" onAction={() => void form.merge()} />
      )}
      {form.conflicts.length > 0 && <Conflicts form={form} />}
      {props.children}
      {unplaced && <ErrorNote error={unplaced} />}
      <div class="form-end">
        {props.onCancel && <Button onClick={props.onCancel}>Cancel</Button>}
        <Button kind="primary" type="submit" busy={form.saving} disabled={form.conflicts.length > 0 || !!props.blocked}>{props.submit}</Button>
      </div>
    </form>
  );
}

/** A form in a dialog. Closing the dialog discards the input. */
export function FormDialog<V extends Values>(props: {
  title: string;
  wide?: boolean;
  form: FormState<V>;
  submit: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { title, wide = false, form, submit, children } = props;
  const close = () => {
    form.reset();
    props.onClose();
  };
  return <Dialog title={title} wide={wide} onClose={close}><Form form={form} submit={submit} onCancel={close}>{children}</Form></Dialog>;
}

function Notice(props: { text: string; action: string; onAction: () => void }) {
  return (
    <p class="note" role="status">
      {props.text}
      <button type="button" class="link" onClick={props.onAction}>{props.action}</button>
    </p>
  );
}

/** Both versions of each field that two people changed. */
function Conflicts<V extends Values>({ form }: { form: FormState<V> }) {
  return (
    <div class="conflicts" role="alert">
      <p><b>Someone else changed this too.</b> Choose which values to save.</p>
      {form.conflicts.map((c) => (
        <dl key={c.name}>
          <dt>{form.fields.get(c.name)?.label ?? c.name}</dt>
          <dd><span>{c.mine || "Empty"}</span><Button small onClick={() => form.resolve(c.name, "mine")}>Keep mine</Button></dd>
          <dd><span>{c.theirs || "Empty"}</span><Button small onClick={() => form.resolve(c.name, "theirs")}>Use theirs</Button></dd>
        </dl>
      ))}
    </div>
  );
}
