// Numbers as people type them. A field keeps the text while the user types, and reads it when the user leaves the
// field or submits the form. What is not understood is an error: to drop a character can change the number a
// hundredfold, as in 33900,00.

/** The text as the API expects it, or what is wrong with it. The label of the field precedes the error. */
export type Parsed = { value: string; error?: undefined } | { value?: undefined; error: string };
export type Parse = (text: string) => Parsed;

interface Decimal {
  whole: string;
  fraction: string;
}

/** Reads 33900.00 and 33,900.00. Commas must separate thousands. */
function decimal(text: string): Decimal | undefined {
  const found = /^(\d+|\d{1,3}(?:,\d{3})+)?(?:\.(\d*))?$/.exec(text);
  if (!found || !/\d/.test(text)) return undefined;
  return { whole: (found[1] ?? "0").replaceAll(",", ""), fraction: found[2] ?? "" };
}

function join({ whole, fraction }: Decimal): string {
  return fraction ? `${whole}.${fraction}` : whole;
}

/** Reads 189.9k as 189900, and 1.2m as 1200000. Other text stays as it is. */
function spellOut(text: string): string {
  const found = /^([\d.,]+)\s*([km])$/i.exec(text);
  const amount = found && decimal(found[1]!);
  if (!amount) return text;
  const zeros = found[2]!.toLowerCase() === "k" ? 3 : 6;
  const fraction = amount.fraction.padEnd(zeros, "0");
  return join({ whole: (amount.whole + fraction.slice(0, zeros)).replace(/^0+(?=\d)/, ""), fraction: fraction.slice(zeros) });
}

/** Reads US dollars, also 189.9k and 1.2m. Cents are allowed if exact is set, and .00 always. */
export function parseMoney(text: string, exact = false): Parsed {
  const typed = spellOut(text.trim().replace(/^\$\s*/, ""));
  if (!typed) return { value: "" };
  const amount = decimal(typed);
  if (!amount) return { error: `must be an amount, such as ${exact ? "33,900.50" : "33,900"}` };
  const cents = amount.fraction.replace(/0+$/, "");
  if (!exact && cents) return { error: "must be in whole dollars, without cents" };
  if (cents.length > 2) return { error: "must have at most two decimals" };
  return { value: exact ? join({ ...amount, fraction: amount.fraction.slice(0, 2) }) : amount.whole };
}

/** Reads a number, which can end in its unit. Lengths can be in feet and inches or in meters, and weights in kilograms. */
export function parseNumber(text: string, unit = ""): Parsed {
  let typed = text.trim();
  if (!typed) return { value: "" };
  if (unit && typed.toLowerCase().endsWith(unit)) typed = typed.slice(0, -unit.length).trimEnd();
  const minus = typed.startsWith("-") ? "-" : "";
  const number = decimal(typed.slice(minus.length));
  if (number) return { value: minus + join(number) };
  if (unit === "ft") return parseFeet(typed);
  return unit === "lb" ? parsePounds(typed) : { error: "must be a number" };
}

const feetPerMeter = 1 / 0.3048;
const poundsPerKilogram = 1 / 0.45359237;

/** Reads pounds from kilograms and tons. */
function parsePounds(text: string): Parsed {
  const found = /^([\d.,]+)\s*(kg|kilograms?|t|tons?|tonnes?)\.?$/i.exec(text);
  const weight = found && decimal(found[1]!);
  if (!weight) return { error: "must be pounds, such as 2,350, or kilograms, such as 1,066 kg" };
  const kilograms = Number(join(weight)) * (found[2]!.toLowerCase().startsWith("t") ? 1000 : 1);
  return { value: String(Math.round(kilograms * poundsPerKilogram)) };
}

function parseFeet(text: string): Parsed {
  const meters = /^([\d.,]+)\s*(m|meters?|metres?|cm)\.?$/i.exec(text);
  const size = meters && decimal(meters[1]!);
  if (size) return { value: String(Math.round(Number(join(size)) * (meters[2]!.toLowerCase() === "cm" ? 0.01 : 1) * feetPerMeter * 100) / 100) };
  const found = /^(\d+)\s*(?:['’′-]|ft\.?|feet)\s*(?:(\d+(?:\.\d+)?)\s*(?:["”″]|''|in\.?|inches)?)?$/i.exec(text);
  if (!found) return { error: "must be feet, such as 23.58, feet and inches, such as 23' 7\", or meters, such as 7.2 m" };
  const [feet, inches] = [Number(found[1]), Number(found[2] ?? 0)];
  if (inches >= 12) return { error: "must have fewer than 12 inches" };
  return { value: String(Math.round((feet + inches / 12) * 100) / 100) };
}

/** 29190.5 is 29,190.5. Other text stays as it is. */
export function withCommas(amount: string): string {
  if (!/^\d+(\.\d*)?$/.test(amount)) return amount;
  const [whole = "", fraction] = amount.split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction === undefined ? "" : "." + fraction);
}

/** 23 ft 7 in (7.19 m) for 23.58, or undefined if the text is no number. */
export function sayFeet(text: string): string | undefined {
  const { value } = parseNumber(text, "ft");
  if (!value) return undefined;
  const inches = Math.round(Number(value) * 12);
  const meters = Math.round((Number(value) / feetPerMeter) * 100) / 100;
  return `${Math.floor(inches / 12)} ft ${inches % 12} in (${meters} m)`;
}
