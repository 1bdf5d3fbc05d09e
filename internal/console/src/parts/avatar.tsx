import { initials } from "../format.ts";

/** The initials of a person. The same name always has the same color. */
export function Avatar({ name }: { name: string }) {
  const hue = [...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 360, 7);
  return <span class="avatar" style={{ "--hue": String(hue) }} aria-hidden="true">{initials(name)}</span>;
}
