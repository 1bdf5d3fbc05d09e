import { type Config } from "./client.ts";
import { Services } from "./services.gen.ts";
/**
 * A client of a Slipway server. It calls one environment of a dealership: the one its key
 * belongs to.
 */
export declare class Slipway extends Services {
    constructor(config: Config);
}
export type { Config, Options, RequestInfo, ResponseInfo, Upload } from "./client.ts";
export { ConnectionError, SlipwayError, type Detail, type ErrorCode } from "./errors.ts";
export { List, type ListParams, type Page } from "./list.ts";
export { OAuth, type OAuthConfig, type Tokens } from "./oauth.ts";
export type * from "./services.gen.ts";
export * from "./types.gen.ts";
export { SignatureError, parseWebhook } from "./webhook.ts";
