// What a file is about: boats or contacts. The screens of an import are the same.
import { api, type ContactImport, type HullImport, type PreviewHullImportReading, type PreviewHullImportRow, type PreviewHullImportRows, type PreviewHullImportRowUpdate } from "../../api.ts";

/** An import of boats or of contacts. */
export type Imported = Omit<ContactImport, "duplicates" | "duplicate_rows" | "consents" | "unproven_consents" | "opt_outs" | "history_notes"> &
  Partial<Pick<HullImport, "words" | "location_id" | "skipped_rows">> & { contacts?: ContactImport };

export interface Reading { map: Record<string, string>; words: Record<string, Record<string, string>>; location_id?: string }

export interface Subject {
  title: string;
  one: string;
  back: { path: string; title: string };
  shows: string; // the button after an import
  path: string;
  noun: string; // of the events that change the screen
  fields: string[];
  always: string[]; // the columns that say what a row is
  name: string[]; // the fields of its title
  accept: string;
  create: (file: File, contentType: string, options: { review: boolean; locationId: string }) => Promise<{ id: string }>;
  get: (id: string) => Promise<Imported>;
  reading: (id: string) => Promise<PreviewHullImportReading>;
  read: (id: string, reading: Reading) => Promise<unknown>;
  rows: (id: string) => Promise<PreviewHullImportRows>;
  repair: (id: string, row: number, change: PreviewHullImportRowUpdate) => Promise<PreviewHullImportRow>;
  start: (id: string) => Promise<unknown>;
  errors: (id: string) => Promise<Response>;
}

export const boats: Subject = {
  title: "Import boats", one: "boat", back: { path: "boats", title: "Inventory" }, shows: "Show inventory", path: "boats/import", noun: "hull",
  fields: (
    "stock_number hin hin_absent_reason make model year length_ft price_usd location_id status condition category boat_class title description " +
    "ownership received_on msrp_usd invoice_usd freight_usd rigging_usd pack_usd reconditioning_usd total_cost_usd hours engine_count engine engine_make engine_model " +
    "engine_year engine_serial engine_hp engine_fuel engine2 engine2_make engine2_model engine2_serial engine2_hours trailer_vin trailer_make trailer_model " +
    "trailer_year hull_color beam_ft photo_urls"
  ).split(" "),
  always: ["year", "make", "model", "hin", "price_usd", "location_id", "status"], name: ["year", "make", "model"],
  accept: ".xlsx,.csv,.tsv,.txt,.ndjson,.jsonl,text/csv",
  create: (file, contentType, o) => api.hulls.createImport(file, { ...(o.review ? { review: "true" } : { dry_run: "true" }), ...(o.locationId && { location_id: o.locationId }) }, { contentType }),
  get: (id) => api.hulls.getImport(id),
  reading: (id) => api.preview.hulls.getImportReading(id),
  read: (id, reading) => api.preview.hulls.replaceImportReading(id, reading),
  rows: (id) => api.preview.hulls.listImportRows(id),
  repair: (id, row, change) => api.preview.hulls.repairImportRow(id, String(row), change),
  start: (id) => api.preview.hulls.startImport(id),
  errors: (id) => api.preview.hulls.listImportErrorsCsv(id),
};

export const contacts: Subject = {
  title: "Import contacts", one: "contact", back: { path: "contacts", title: "Contacts" }, shows: "Show contacts", path: "contacts/import", noun: "contact",
  fields: (
    "name first_name last_name company_name legal_name_latin kind email phone line1 line2 city region postal_code country timezone preferred_channel tags notes " +
    "sms_consent email_consent voice_consent consent_text consent_date consent_source consent_scope consent_basis sms_opt_out email_opt_out voice_opt_out opt_out"
  ).split(" "),
  always: ["name", "first_name", "last_name", "company_name", "email", "phone"], name: ["name", "first_name", "last_name", "company_name"],
  accept: ".xlsx,.csv,.tsv,.txt,text/csv",
  create: (file, contentType) => api.preview.contacts.createImport(file, { review: "true" }, { contentType }),
  get: (id) => api.preview.contacts.getImport(id).then((contacts) => ({ ...contacts, contacts })),
  reading: (id) => api.preview.contacts.getImportReading(id),
  read: (id, reading) => api.preview.contacts.replaceImportReading(id, { map: reading.map }),
  rows: (id) => api.preview.contacts.listImportRows(id),
  repair: (id, row, change) => api.preview.contacts.repairImportRow(id, String(row), change),
  start: (id) => api.preview.contacts.startImport(id),
  errors: (id) => api.preview.contacts.listImportErrorsCsv(id),
};

