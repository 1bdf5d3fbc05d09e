// What the samples of the documentation don't declare.
import type * as sdk from "slipway-sdk";

declare global {
  const slipway: sdk.Slipway;
  const Slipway: typeof sdk.Slipway;
  const OAuth: typeof sdk.OAuth;
  const SlipwayError: typeof sdk.SlipwayError;
  const parseWebhook: typeof sdk.parseWebhook;
  const h: sdk.Hull;
  const tokens: sdk.Tokens;
  const save: (tokens: sdk.Tokens) => Promise<void>;
  const file: Blob;
  const destination: WritableStream<Uint8Array>;
  const base: string, clientId: string, clientSecret: string, locationId: string, photoId: string, secret: string;
  const process: { env: { SLIPWAY_KEY?: string } };
}
