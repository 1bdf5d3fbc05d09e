// The words for the values of enums.

/** Values whose words are not just their name. */
const exceptions: Record<string, string> = {
  sms: "Text",
  sms_reply: "Text reply",
  voice: "Phone",
  ebr: "Established business relationship",
  ai_chat: "AI chat",
  credit_start: "Credit application started",
  pwc: "Personal watercraft",
  cancelled: "Canceled",
  floorplan: "Floor plan",
  no_show: "No-show",
  walk_in: "Walk-in",
  gas: "Gasoline",
  ach: "ACH",
  gap: "GAP",
  buyers_order: "Buyer's order",
  drivers_license: "Driver's license",
  title_front_back: "Title, front and back",
  trust_docs: "Trust documents",
  pending_docs: "Documents missing",
  tire_wheel: "Tire and wheel",
  mso_boat: "MSO of the boat",
  mso_engine: "MSO of the engine",
  mso_trailer: "MSO of the trailer",
  uscg_cg1258: "USCG CG-1258",
  uscg_cg1261: "USCG CG-1261",
  uscg_cg1340: "USCG CG-1340",
  agreement_hin: "Agreement with the HIN",
  hin: "HIN",
  sso: "SSO",
  totp: "Authenticator app",
  webauthn: "Passkey",
  csv: "CSV",
  json: "JSON",
  xml: "XML",
  openmarine: "OpenMarine",
  boatstream: "BoatStream",
  saml: "SAML",
  oidc: "OpenID Connect",
  boat_trader: "Boat Trader",
  boats_com: "boats.com",
  yachtworld: "YachtWorld",
  pre_1972: "Built before November 1972",
  not_yet_assigned: "Not assigned yet",
  homebuilt_pending: "Homebuilt, number pending",
  outboard_2s: "Two-stroke outboard",
  outboard_4s: "Four-stroke outboard",
};

/** Names of boat classes that differ from their code. */
const classes: Record<string, string> = {
  aft: "Aft cabin",
  center: "Center console",
  cruiseship: "Cruise ship",
  deck: "Deck boat",
  dualconsole: "Dual console",
  expresscruiser: "Express cruiser",
  fresh: "Freshwater fishing",
  highperf: "High performance",
  house: "Houseboat",
  inflatable: "Inflatable",
  jet: "Jet boat",
  jon: "Jon boat",
  mega: "Mega yacht",
  motor: "Motor yacht",
  narrow: "Narrow boat",
  pcatamaran: "Power catamaran",
  pilot: "Pilothouse",
  pwc: "Personal watercraft",
  rib: "Rigid inflatable",
  rivercruiser: "River cruiser",
  saltfish: "Saltwater fishing",
  skifish: "Ski and fish",
  skiwake: "Ski and wakeboard",
  sportcruiser: "Sport cruiser",
  sportfish: "Sport fishing",
  unspec: "Not specified",
  util: "Utility",
  walk: "Walkaround",
  beachcat: "Beach catamaran",
  centercockpit: "Center cockpit",
  day: "Daysailer",
  racercruiser: "Racer-cruiser",
};

/** Returns the words for a value: on_hold is "On hold". */
export function word(value: string): string {
  const text = exceptions[value] ?? value.replaceAll("_", " ");
  return text[0]?.toUpperCase() + text.slice(1);
}

/** Returns the words for a boat class: power-center is "Center console". */
export function className(value: string): string {
  const name = value.slice(value.indexOf("-") + 1);
  return classes[name] ?? word(name);
}

/** Options of a select, from the values of an enum. */
export function options(values: readonly string[], words = word): Array<[string, string]> {
  return values.map((value) => [value, words(value)]);
}

/** Firefox on Windows, from a User-Agent header. */
export function browser(agent: string | null): string {
  const name = agent && /(Edg|Firefox|Chrome|Safari|curl)/.exec(agent)?.[1]?.replace("Edg", "Edge");
  const system = agent && /(Windows|Mac OS|iPhone|iPad|Android|Linux)/.exec(agent)?.[1]?.replace("Mac OS", "macOS");
  return name ? name + (system ? " on " + system : "") : agent ?? "Unknown browser";
}
