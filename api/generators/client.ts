// Uses the client of @hey-api/openapi-ts. It is only compiled: each @ts-expect-error fails if
// the line below it is correct.
import { createClient } from "./hey-api/client/index.js";
import { createHull, listEvents, listHulls } from "./hey-api/sdk.gen.js";
import type { Event, Hull, HullStatus } from "./hey-api/types.gen.js";

const client = createClient({ baseUrl: "https://slipway.example.com", auth: "sk_test_..." });

// The type of an event determines the type of its data, without a cast.
export function price(event: Event): number | null {
  if (event.type === "hull.created") {
    return event.data.object.price_usd;
  }
  if (event.type === "lead.created") {
    // @ts-expect-error A lead has no price.
    return event.data.object.price_usd;
  }
  return null;
}

// All pages of a list.
export async function all(status: HullStatus): Promise<Hull[]> {
  const found: Hull[] = [];
  let after: string | undefined;
  do {
    const { data } = await listHulls({ client, query: { status, starting_after: after }, throwOnError: true });
    found.push(...data.data);
    after = data.next_cursor ?? undefined;
  } while (after !== undefined);
  return found;
}

export async function newest(): Promise<Event | undefined> {
  const { data } = await listEvents({ client, query: { limit: 1 }, throwOnError: true });
  return data.data[0];
}

// A request that can be sent again.
export async function add(key: string): Promise<Hull> {
  const { data } = await createHull({
    client,
    headers: { "Idempotency-Key": key },
    body: {
      make: "Grady-White", model: "Freedom 235", year: 2024, length_ft: 23.58, price_usd: 124900, condition: "new",
      ownership: "owned", location_id: "loc_01jcqz8t5n8m2x4v6b7c9d0e1f", boat_class: "power-dualconsole",
      stock_number: "GW-1042", hin: "US-GRT40912B324",
    },
    throwOnError: true,
  });
  return data;
}

// @ts-expect-error The status must be one of the enum.
void listHulls({ client, query: { status: "sunk" } });
