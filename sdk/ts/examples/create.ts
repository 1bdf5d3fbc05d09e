// Adds a boat. It is safe to run again, because the request has a name.
import { Slipway, type HullCreate } from "slipway-sdk";

const slipway = new Slipway({ baseUrl: process.env["SLIPWAY_URL"] ?? "", key: process.env["SLIPWAY_KEY"] ?? "" });
const boat: HullCreate = {
  make: "Boston Whaler", model: "130 Super Sport", year: 2027, length_ft: 13.33, price_usd: 24900,
  hin: "BWC13001H627", location_id: process.env["LOCATION"] ?? "",
};

// The SDK retries a request that got no response, and the server adds the boat once. If your
// program can stop before it stores the result, name the request with a UUID of your own.
const order = "4f1d8c52-6a0e-4d0b-8d9e-2b7f3c1a9e10";
const first = await slipway.hulls.create(boat, { idempotencyKey: order });
const again = await slipway.hulls.create(boat, { idempotencyKey: order });
console.log("Created once:", first.id === again.id);
