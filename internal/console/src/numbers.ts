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

/** Reads US dollars. Cents are allowed if exact is set, and .00 always. */
export function parseMoney(text: string, exact = false): Parsed {
  const typed = text.trim().replace(/^\$\s*/, "");
  if (!typed) return { value: "" };
  const amount = decimal(typed);
  if (!amount) return { error: `must be an amount, such as ${exact ? "33,900.50" : "33,900"}` };
  const cents = amount.fraction.replace(/0+$/, "");
  if (!exact && cents) return { error: "must be in whole dollars, without cents" };
  if (cents.length > 2) return { error: "must have at most two decimals" };
  return { value: exact ? join({ ...amount, fraction: amount.fraction.slice(0, 2) }) : amount.whole };
}

/** Reads a number, which can end in its unit. Lengths in feet can have inches: 23' 7". */
export function parseNumber(text: string, unit = ""): Parsed {
  let typed = text.trim();
  if (!typed) return { value: "" };
  if (unit && typed.toLowerCase().endsWith(unit)) typed = typed.slice(0, -unit.length).trimEnd();
  const minus = typed.startsWith("-") ? "-" : "";
  const number = decimal(typed.slice(minus.length));
  if (number) return { value: minus + join(number) };
  return unit === "ft" ? parseFeet(typed) : { error: "must be a number" };
}

function parseFeet(text: string): Parsed {
  const found = /^(\d+)\s*(?:['’′]|ft\.?|feet)\s*(?:(\d+(?:\.\d+)?)\s*(?:["”″]|''|in\.?|inches)?)?$/i.exec(text);
  if (!found) return { error: "must be feet, such as 23.58, or feet and inches, such as 23' 7\"" };
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
