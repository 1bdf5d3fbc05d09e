import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Parse } from "../numbers.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Menu, Popover } from "./menu.tsx";

/** A filter. value is the current choice in words, undefined if the filter is off. */
interface ChipProps {
  label: string;
  value: string | undefined;
  onClear: () => void;
}

function face({ label, value }: ChipProps): ComponentChildren {
  return value === undefined ? <><Icon name="plus" />{label}</> : <>{label}: <b>{value}</b></>;
}

/** A filter with a list of choices. */
export function ChoiceChip(props: ChipProps & { choices: Array<[string, string]>; current: string | undefined; onChoose: (value: string) => void }) {
  const items = props.choices.map(([value, title]) => ({ title, checked: value === props.current, onClick: () => props.onChoose(value) }));
  const clear = props.value !== undefined && { title: "Clear", icon: "close" as const, onClick: props.onClear };
  return <Menu class={props.value === undefined ? "chip" : "chip on"} button={face(props)} items={[...items, clear]} />;
}

/** A filter by text or numbers. Fields have a name, a label and the current value. */
export function InputChip(props: ChipProps & { fields: Array<{ name: string; label: string; value: string; parse?: Parse }>; onApply: (values: Record<string, string>) => void }) {
  return (
    <Popover class={props.value === undefined ? "chip" : "chip on"} button={face(props)}>
      {(close) => <ChipForm {...props} close={close} />}
    </Popover>
  );
}

function ChipForm(props: Parameters<typeof InputChip>[0] & { close: () => void }) {
  const [values, setValues] = useState(() => Object.fromEntries(props.fields.map((f) => [f.name, f.value])));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const submit = (event: Event) => {
    event.preventDefault();
    const parsed = props.fields.map((f) => [f.name, f.parse?.(values[f.name] ?? "") ?? { value: values[f.name] ?? "" }] as const);
    const wrong = Object.fromEntries(parsed.flatMap(([name, p]) => (p.error === undefined ? [] : [[name, p.error]])));
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    props.close();
    props.onApply(Object.fromEntries(parsed.map(([name, p]) => [name, p.value ?? ""])));
  };
  return (
    <form class="chip-form" onSubmit={submit}>
      {props.fields.map((f) => (
        <label key={f.name} class="field">
          {f.label}
          <input
            value={values[f.name]}
            inputMode={f.parse ? "decimal" : undefined} aria-invalid={!!errors[f.name]}
            onInput={(e) => setValues({ ...values, [f.name]: e.currentTarget.value })}
          />
          {errors[f.name] && <span class="field-error" role="alert">This {errors[f.name]}.</span>}
        </label>
      ))}
      <div class="form-end">
        {props.value !== undefined && <Button small onClick={() => (props.close(), props.onClear())}>Clear</Button>}
        <Button small kind="primary" type="submit">Apply</Button>
      </div>
    </form>
  );
}
