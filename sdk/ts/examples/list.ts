// Prints the boats of a make, and shows how to get one page.
import { Slipway } from "slipway-sdk";

const slipway = new Slipway({ baseUrl: process.env["SLIPWAY_URL"] ?? "", key: process.env["SLIPWAY_KEY"] ?? "" });

// The SDK requests the pages while you iterate. If you stop early, it sends no more requests.
for await (const h of slipway.hulls.list({ make: "Boston Whaler", status: "available" })) {
  console.log(h.year, h.model, h.price_usd);
}

// One page, for example to show it in a table.
const { next_cursor } = await slipway.hulls.list({ limit: 1 });
console.log("Next page:", next_cursor);
