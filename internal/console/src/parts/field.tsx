// Fields of a form. Each registers its label, shows its error and describes itself to screen readers.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FormState, Values } from "../form.tsx";
import { parseMoney, parseNumber, sayFeet, withCommas, type Parse } from "../numbers.ts";
import { session } from "../session.ts";
import { isInstant, parseTime, sayTime } from "../times.ts";

interface FieldProps<V extends Values> {
  form: FormState<V>;
  /** Name of the field in the API, so that its errors find it. */
  name: keyof V & string;
  label: string;
  hint?: string;
  /** How the text was understood. It is shown in the place of the hint. */
  result?: string | undefined;
  required?: boolean;
  disabled?: boolean;
}

/** What an input needs to belong to its field. */
interface Control {
  id: string;
  name: string;
  required: boolean;
  disabled: boolean;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

/** A label, an input, and a hint or an error. parse reads the text of the input. */
export function Field<V extends Values>(props: FieldProps<V> & { parse?: Parse; children: (control: Control) => ComponentChildren }) {
  const { form, name, label, hint, result, required = false, parse } = props;
  // A layout effect runs before the user can submit the form.
  useLayoutEffect(() => {
    form.fields.set(name, { label, required, ...(parse && { parse }) });
    return () => void form.fields.delete(name);
  }, [name, label, required]);
  const id = `${form.id}-${name}`;
  const error = form.errors[name];
  const control: Control = {
    id, name,
    required,
    disabled: !!props.disabled,
    "aria-invalid": !!error,
    "aria-describedby": error || result || hint ? id + "-note" : undefined,
  };
  return (
    <div class="field">
      <label for={id}>{label}{required && <span class="required" aria-hidden="true">*</span>}</label>
      {props.children(control)}
      {(error ?? result ?? hint) && <p id={id + "-note"} class={error ? "field-error" : result ? "field-result" : "field-hint"}>{error ?? result ?? hint}</p>}
    </div>
  );
}

type InputProps<V extends Values> = FieldProps<V> & {
  type?: "text" | "email" | "tel" | "url" | "date" | "datetime-local" | "password";
  inputMode?: "decimal" | "numeric" | "text";
  placeholder?: string;
  autocomplete?: string;
  autofocus?: boolean;
  /** Values to choose from. Others are allowed. */
  suggestions?: string[] | undefined;
  /** Reads the text when the user leaves the field. */
  parse?: Parse;
};

export function TextField<V extends Values>(props: InputProps<V>) {
  const { form, name, type = "text", inputMode, placeholder, autocomplete = "off", autofocus, suggestions } = props;
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autofocus) ref.current?.focus();
  }, []);
  return (
    <Field {...props}>
      {(control) => (
        <>
          <input
            {...control} {...({ type } as { type: "text" })} {...{ inputMode, placeholder, autocomplete }} ref={ref}
            list={suggestions && control.id + "-list"} value={form.values[name]} onInput={(e) => form.set(name, e.currentTarget.value)}
            onBlur={props.parse && (() => form.check(name))}
          />
          {suggestions && <datalist id={control.id + "-list"}>{suggestions.map((s) => <option key={s} value={s} />)}</datalist>}
        </>
      )}
    </Field>
  );
}

/** A number. The value is what the user typed until the user leaves the field. */
export function NumberField<V extends Values>(props: InputProps<V> & { unit?: string }) {
  const { form, name, unit } = props;
  return (
    <Field {...props} parse={(text) => parseNumber(text, unit)} result={unit === "ft" ? sayFeet(form.values[name] ?? "") : undefined}>
      {(control) => (
        <span class="with-unit">
          <input
            {...control} inputMode="decimal" autocomplete="off" class="num"
            value={form.values[name]} onInput={(e) => form.set(name, e.currentTarget.value)} onBlur={() => form.check(name)}
          />
          {unit && <span aria-hidden="true">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

/** US dollars. Cents are allowed if exact is set. The value is what the user typed until the user leaves the field. */
export function MoneyField<V extends Values>(props: InputProps<V> & { exact?: boolean }) {
  const { form, name, exact } = props;
  return (
    <Field {...props} parse={(text) => parseMoney(text, exact)}>
      {(control) => <MoneyInput {...control} value={form.values[name] ?? ""} onValue={(text) => form.set(name, text)} onLeave={() => form.check(name)} />}
    </Field>
  );
}

type MoneyInputProps = Partial<Control> & { value: string; onValue: (text: string) => void; onLeave?: () => void };

/** Shows commas while the user does not type, unless the text is wrong. */
export function MoneyInput({ value, onValue, onLeave, ...control }: MoneyInputProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [typing, setTyping] = useState(false);
  // The text without commas is not selected, but what the user types must replace it as in other fields.
  useLayoutEffect(() => {
    if (typing) ref.current?.select();
  }, [typing]);
  const leave = () => {
    setTyping(false);
    onLeave?.();
  };
  return (
    <span class="with-unit before">
      <span aria-hidden="true">$</span>
      <input
        {...control} ref={ref} inputMode="decimal" autocomplete="off" class="num" value={typing || control["aria-invalid"] ? value : withCommas(value)}
        onFocus={() => setTyping(true)} onInput={(e) => onValue(e.currentTarget.value)} onBlur={leave}
      />
    </span>
  );
}

/** A time as people type it, such as sat 10. It says how it was understood while the user types. */
export function TimeField<V extends Values>(props: InputProps<V> & { zone?: string }) {
  const { form, name, zone = session.dealership.timezone, autofocus } = props;
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autofocus) ref.current?.focus();
  }, []);
  const value = form.values[name] ?? "";
  const at = parseTime(value, zone).value;
  return (
    <Field hint="Such as sat 10, tomorrow 2:30 or 11/21." {...props} parse={(text) => parseTime(text, zone)} result={at ? sayTime(at, zone) : undefined}>
      {(control) => (
        <input
          {...control} ref={ref} autocomplete="off" value={isInstant(value) ? sayTime(value, zone) : value}
          onInput={(e) => form.set(name, e.currentTarget.value)} onBlur={() => form.check(name)}
        />
      )}
    </Field>
  );
}

export function TextArea<V extends Values>(props: FieldProps<V> & { rows?: number }) {
  const { form, name } = props;
  return (
    <Field {...props}>
      {(control) => <textarea {...control} rows={props.rows ?? 4} value={form.values[name]} onInput={(e) => form.set(name, e.currentTarget.value)} />}
    </Field>
  );
}

/** A list of choices. empty is the text of the choice for no value. */
export function Select<V extends Values>(props: FieldProps<V> & { choices: Array<[string, string]>; empty?: string }) {
  const { form, name, choices, empty } = props;
  return (
    <Field {...props}>
      {(control) => (
        <select {...control} value={form.values[name]} onChange={(e) => form.set(name, e.currentTarget.value)}>
          {empty !== undefined && <option value="">{empty}</option>}
          {choices.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
      )}
    </Field>
  );
}

/** A checkbox. Its value is "yes" or "". */
export function CheckField<V extends Values>({ form, name, label, hint, disabled }: FieldProps<V>) {
  const id = `${form.id}-${name}`;
  return (
    <div class="field check">
      <input id={id} type="checkbox" disabled={disabled} checked={form.values[name] === "yes"} onChange={(e) => form.set(name, e.currentTarget.checked ? "yes" : "")} />
      <label for={id}>{label}{hint && <small>{hint}</small>}</label>
    </div>
  );
}
