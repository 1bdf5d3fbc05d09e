// Tests of the rules, as tables. A test in browsertest runs this file in a browser, and fails if failures is not empty.
import { toCsv } from "../csv.ts";
import { ago, bytes, cents, count, date, initials, money, phone, setTimeZone, shortMoney, usd, when } from "../format.ts";
import { merge } from "../form.tsx";
import { parseMessage } from "../live.ts";
import { parseMoney, parseNumber, withCommas } from "../numbers.ts";
import { ageColor } from "../parts/status.tsx";
import { href, match } from "../router.ts";
import { className, word } from "../words.ts";

setTimeZone("America/New_York");
const now = new Date("2026-11-15T15:00:00Z"); // Sunday, 10 AM in New York
const dollars = (amount: number) => ({ amount: amount * 100, currency: "USD" as const });

type Case = [name: string, got: unknown, want: unknown];

const cases: Case[] = [
  ["a path", match("boats", "boats"), {}],
  ["a path with a parameter", match("boats/:id/:tab?", "boats/hull_1/photos"), { id: "hull_1", tab: "photos" }],
  ["a path without an optional parameter", match("boats/:id/:tab?", "boats/hull_1"), { id: "hull_1" }],
  ["a path without a required parameter", match("boats/:id/:tab?", "boats"), undefined],
  ["a path that is too long", match("boats", "boats/hull_1"), undefined],
  ["another path", match("boats/import", "boats/hull_1"), undefined],
  ["a URL leaves out empty values", href("boats", { status: "on_hold", make: "", q: undefined }), "/console/live/boats?status=on_hold"],

  ["a message", parseMessage('id: evt_1\ndata: {"type":"hull.updated"}'), { id: "evt_1", event: "message", data: '{"type":"hull.updated"}' }],
  ["a comment", parseMessage(": still here"), { id: "", event: "message", data: "" }],
  ["a message with a name", parseMessage("event: reset\ndata"), { id: "", event: "reset", data: "" }],
  ["a message of two lines", parseMessage("data: a\ndata: b").data, "a\nb"],

  ["cells", toCsv([["a", 1, null]]), "a,1,\r\n"],
  ["cells with quotes, commas and line breaks", toCsv([['19" wheel', "a,b", "a\nb"]]), '"19"" wheel","a,b","a\nb"\r\n'],
  ["cells that are formulas", toCsv([["=1+1", "-2", "@x"]]), "'=1+1,'-2,'@x\r\n"],

  ["prices as typed", ["33900.00", "$33,900", " 33900. ", "1,234,567.0", ""].map((t) => parseMoney(t).value), ["33900", "33900", "33900", "1234567", ""]],
  ["prices with cents", parseMoney("33900.50").error, "must be in whole dollars, without cents"],
  ["no prices", ["33900,00", "33.900,00", "33,90", "3,3900", "33k", "-1", ".", "1.2.3", "$$1"].filter((t) => !parseMoney(t).error), []],
  ["amounts as typed", ["29190.5", "29,190.50", "70000.00", "5", ".5", "1.500"].map((t) => parseMoney(t, true).value), ["29190.5", "29190.50", "70000.00", "5", "0.5", "1.50"]],
  ["an amount with three decimals", parseMoney("1.005", true).error, "must have at most two decimals"],
  ["numbers as typed", ["23.58", "-4", "1,200", "7.", ""].map((t) => parseNumber(t).value), ["23.58", "-4", "1200", "7", ""]],
  ["numbers with their unit", [parseNumber("7.49 %", "%").value, parseNumber("23 FT", "ft").value], ["7.49", "23"]],
  ["no numbers", ["2o24", "12 ft", "1.2.3", "7,5", "--1", "-"].filter((t) => !parseNumber(t).error), []],
  ["feet and inches", [`23' 7"`, "23′7″", "23'7", "23'", "23 ft 7 in", "8 feet 6 inches", "8' 6.5\""].map((t) => parseNumber(t, "ft").value), ["23.58", "23.58", "23.58", "23", "23.58", "8.5", "8.54"]],
  ["no feet and inches", [`23' 12"`, "23 7", `94"`, "23.5' 7\"", "23' 7' 2"].filter((t) => !parseNumber(t, "ft").error), []],
  ["feet are only for lengths", parseNumber(`23' 7"`).error, "must be a number"],
  ["an amount with commas", ["29190.5", "500", "1234567", "33k"].map(withCommas), ["29,190.5", "500", "1,234,567", "33k"]],

  ["dollars", usd(131600), "$131,600"],
  ["cents", cents(104477), "$1,044.77"],
  ["money without cents", money(dollars(500)), "$500"],
  ["money with cents", money({ amount: 50050, currency: "USD" }), "$500.50"],
  ["much money", shortMoney(dollars(18_312_000)), "$18.3M"],
  ["one boat", count(1, "boat"), "1 boat"],
  ["many boats", count(1204, "boat"), "1,204 boats"],
  ["a size", [bytes(900), bytes(48_256), bytes(1_240_000)], ["900 B", "48 KB", "1.2 MB"]],
  ["a phone number", phone("+14105550199"), "(410) 555-0199"],
  ["a phone number of another country", phone("+442079460958"), "+442079460958"],
  ["initials", [initials("Owen Tilghman"), initials("Ann"), initials("")], ["OT", "A", ""]],

  ["a date is the same everywhere", date("2026-06-09"), "Jun 9, 2026"],
  ["a time late in the evening", date("2026-06-10T02:00:00Z"), "Jun 9, 2026"],
  ["today", when("2026-11-15T14:41:00Z", now), "9:41 AM"],
  ["yesterday evening", when("2026-11-15T04:00:00Z", now), "Yesterday"],
  ["this week", when("2026-11-13T15:00:00Z", now), "Fri"],
  ["this year", when("2026-11-04T15:00:00Z", now), "Nov 4"],
  ["another year", when("2025-11-04T15:00:00Z", now), "Nov 4, 2025"],
  ["minutes ago", ago("2026-11-15T14:58:00Z", now.getTime()), "2 minutes ago"],
  ["in days", ago("2026-11-18T15:00:00Z", now.getTime()), "in 3 days"],
  ["just now", ago("2026-11-15T14:59:40Z", now.getTime()), "just now"],

  ["a status", word("on_hold"), "On hold"],
  ["a word that is not its name", word("sms"), "Text"],
  ["a boat class", [className("power-center"), className("sail-sloop")], ["Center console", "Sloop"]],
  ["ages", [0, 30, 31, 90, 181].map(ageColor), ["var(--age-1)", "var(--age-1)", "var(--age-2)", "var(--age-3)", "var(--age-5)"]],

  ["only mine changed", merge({ a: "1", b: "1" }, { a: "2", b: "1" }, { a: "1", b: "1" }), { values: { a: "2", b: "1" }, both: [] }],
  ["both changed other fields", merge({ a: "1", b: "1" }, { a: "2", b: "1" }, { a: "1", b: "3" }), { values: { a: "2", b: "3" }, both: [] }],
  ["both changed a field alike", merge({ a: "1" }, { a: "2" }, { a: "2" }), { values: { a: "2" }, both: [] }],
  ["both changed a field", merge({ a: "1" }, { a: "2" }, { a: "3" }), { values: { a: "2" }, both: [{ name: "a", mine: "2", theirs: "3" }] }],
];

const failures = cases
  .filter(([, got, want]) => JSON.stringify(got) !== JSON.stringify(want))
  .map(([name, got, want]) => `${name}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);

Object.assign(globalThis, { failures, caseCount: cases.length });
