import { initials } from "../format.ts";

const hues = [200, 285, 40, 150, 250, 330, 15, 225];

/** The initials of a person. The same name always has the same color. */
export function Avatar({ name }: { name: string }) {
  const sum = [...name].reduce((n, c) => (n * 31 + c.charCodeAt(0)) % 1009, 7);
  const hue = hues[sum % hues.length];
  return <span class="avatar" style={{ "--hue": String(hue) }} aria-hidden="true">{initials(name)}</span>;
}
