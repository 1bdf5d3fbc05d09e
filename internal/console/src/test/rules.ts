// Tests of the rules, as tables. A test in browsertest runs this file in a browser, and fails if failures is not empty.
import { toCsv } from "../csv.ts";
import { ago, bytes, cents, count, date, initials, money, phone, setTimeZone, shortMoney, usd, when } from "../format.ts";
import { merge } from "../form.tsx";
import { parseMessage } from "../live.ts";
import { parseMoney, parseNumber, sayFeet, withCommas } from "../numbers.ts";
import { ageColor } from "../parts/status.tsx";
import { href, match } from "../router.ts";
import { parseTime, sayTime } from "../times.ts";
import { className, word } from "../words.ts";

const newYork = "America/New_York";
setTimeZone(newYork);
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
  ["no prices", ["33900,00", "33.900,00", "33,90", "3,3900", "33kk", "k", "-1", ".", "1.2.3", "$$1"].filter((t) => !parseMoney(t).error), []],
  ["prices in thousands and millions", ["189.9k", "$1.2m", "33 K", "1,200k", "0.5k", "189.9001k"].map((t) => parseMoney(t).value ?? parseMoney(t).error), ["189900", "1200000", "33000", "1200000", "500", "must be in whole dollars, without cents"]],
  ["amounts as typed", ["29190.5", "29,190.50", "70000.00", "5", ".5", "1.500"].map((t) => parseMoney(t, true).value), ["29190.5", "29190.50", "70000.00", "5", "0.5", "1.50"]],
  ["an amount with three decimals", parseMoney("1.005", true).error, "must have at most two decimals"],
  ["numbers as typed", ["23.58", "-4", "1,200", "7.", ""].map((t) => parseNumber(t).value), ["23.58", "-4", "1200", "7", ""]],
  ["numbers with their unit", [parseNumber("7.49 %", "%").value, parseNumber("23 FT", "ft").value], ["7.49", "23"]],
  ["no numbers", ["2o24", "12 ft", "1.2.3", "7,5", "--1", "-"].filter((t) => !parseNumber(t).error), []],
  ["feet and inches", [`23' 7"`, "23′7″", "23'7", "23'", "23 ft 7 in", "8 feet 6 inches", "8' 6.5\""].map((t) => parseNumber(t, "ft").value), ["23.58", "23.58", "23.58", "23", "23.58", "8.5", "8.54"]],
  ["a length in words", ["23.58", "7.2 m", "about 23", ""].map(sayFeet), ["23 ft 7 in (7.19 m)", "23 ft 7 in (7.2 m)", undefined, undefined]],
  ["meters", ["7.2 m", "7.19m", "9 meters", "720 cm"].map((t) => parseNumber(t, "ft").value), ["23.62", "23.59", "29.53", "23.62"]],
  ["feet with a dash", parseNumber("23-7", "ft").value, "23.58"],
  ["kilograms", ["1066 kg", "1.5 t", "2,350 lb"].map((t) => parseNumber(t, "lb").value), ["2350", "3307", "2350"]],
  ["no pounds", parseNumber("2350 oz", "lb").error, "must be pounds, such as 2,350, or kilograms, such as 1,066 kg"],
  ["no feet and inches", [`23' 12"`, "23 7", `94"`, "23.5' 7\"", "23' 7' 2"].filter((t) => !parseNumber(t, "ft").error), []],
  ["feet are only for lengths", parseNumber(`23' 7"`).error, "must be a number"],
  ["an amount with commas", ["29190.5", "500", "1234567", "33k"].map(withCommas), ["29,190.5", "500", "1,234,567", "33k"]],

  ["times as typed", ["sat 10", "Sat, 10:30 am", "tomorrow 2:30", "11/21", "11/21 9", "nov 21 at 4pm", "in 3 days", "in 2 hours", "today noon", "2026-11-21 8:15", "sunday 9", "sunday 11", "1/5", "9:30", "11", ""]
    .map((t) => parseTime(t, newYork, now).value), [
    "2026-11-21T15:00:00.000Z", "2026-11-21T15:30:00.000Z", "2026-11-16T19:30:00.000Z", "2026-11-21T14:00:00.000Z", "2026-11-21T14:00:00.000Z",
    "2026-11-21T21:00:00.000Z", "2026-11-18T14:00:00.000Z", "2026-11-15T17:00:00.000Z", "2026-11-15T17:00:00.000Z", "2026-11-21T13:15:00.000Z",
    "2026-11-22T14:00:00.000Z", "2026-11-15T16:00:00.000Z", "2027-01-05T14:00:00.000Z", "2026-11-16T14:30:00.000Z", "2026-11-15T16:00:00.000Z", ""]],
  ["no times", ["soon", "13pm", "25:00", "2/30", "sat 10:75", "feb 31"].filter((t) => !parseTime(t, newYork, now).error), []],
  ["a time in the past", [parseTime("today 9", newYork, now).error, parseTime("2026-11-14", newYork, now).error], ["is in the past", "is in the past"]],
  ["a time when clocks go forward", parseTime("3/14 2:30am", newYork, new Date("2027-03-01T15:00:00Z")).error, "doesn't exist on that day, because clocks go forward"],
  ["a time that exists twice is the first", parseTime("11/7 1:30am", newYork, new Date("2027-11-01T15:00:00Z")).value, "2027-11-07T05:30:00.000Z"],
  ["a time in words", sayTime("2026-11-21T15:00:00.000Z", newYork), "Saturday, Nov 21, 10:00 AM"],
  ["a time in words is understood", parseTime("Saturday, Nov 21, 10:00 AM", newYork, now).value, "2026-11-21T15:00:00.000Z"],

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
