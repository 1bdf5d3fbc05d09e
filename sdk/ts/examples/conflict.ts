// Changes a boat that someone else changed in the meantime.
import { Slipway, SlipwayError } from "slipway-sdk";

const slipway = new Slipway({ baseUrl: process.env["SLIPWAY_URL"] ?? "", key: process.env["SLIPWAY_KEY"] ?? "" });

for (const h of (await slipway.hulls.list({ limit: 1 })).data) {
  // Someone else changes the boat after you read it.
  await slipway.hulls.update(h.id, { title: "Second owner" });

  // ifVersion protects their change.
  try {
    await slipway.hulls.update(h.id, { title: "Winterized", description: null }, { ifVersion: h.version });
  } catch (e) {
    if (!(e instanceof SlipwayError) || e.code !== "conflict") throw e;
    const current = await slipway.hulls.get(h.id);
    console.log("Someone else changed it. Title:", current.title);
  }

  try {
    await slipway.hulls.update(h.id, { length_ft: -1 });
  } catch (e) {
    if (e instanceof SlipwayError) console.log("length_ft", e.field("length_ft"));
  }
}
