"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.parseWebhook = exports.SignatureError = exports.OAuth = exports.List = exports.SlipwayError = exports.ConnectionError = exports.Slipway = void 0;
const client_ts_1 = require("./client.js");
const services_gen_ts_1 = require("./services.gen.js");
/**
 * A client of a Slipway server. It calls one environment of a dealership: the one its key
 * belongs to.
 */
class Slipway extends services_gen_ts_1.Services {
    constructor(config) {
        super(new client_ts_1.Sender(config));
    }
}
exports.Slipway = Slipway;
var errors_ts_1 = require("./errors.js");
Object.defineProperty(exports, "ConnectionError", { enumerable: true, get: function () { return errors_ts_1.ConnectionError; } });
Object.defineProperty(exports, "SlipwayError", { enumerable: true, get: function () { return errors_ts_1.SlipwayError; } });
var list_ts_1 = require("./list.js");
Object.defineProperty(exports, "List", { enumerable: true, get: function () { return list_ts_1.List; } });
var oauth_ts_1 = require("./oauth.js");
Object.defineProperty(exports, "OAuth", { enumerable: true, get: function () { return oauth_ts_1.OAuth; } });
__exportStar(require("./types.gen.js"), exports);
var webhook_ts_1 = require("./webhook.js");
Object.defineProperty(exports, "SignatureError", { enumerable: true, get: function () { return webhook_ts_1.SignatureError; } });
Object.defineProperty(exports, "parseWebhook", { enumerable: true, get: function () { return webhook_ts_1.parseWebhook; } });
