import { Sender } from "./client.js";
import { Services } from "./services.gen.js";
/**
 * A client of a Slipway server. It calls one environment of a dealership: the one its key
 * belongs to.
 */
export class Slipway extends Services {
    constructor(config) {
        super(new Sender(config));
    }
}
export { ConnectionError, SlipwayError } from "./errors.js";
export { List } from "./list.js";
export { OAuth } from "./oauth.js";
export * from "./types.gen.js";
export { SignatureError, parseWebhook } from "./webhook.js";
