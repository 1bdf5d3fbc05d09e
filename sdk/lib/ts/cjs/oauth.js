"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.OAuth = void 0;
const errors_ts_1 = require("./errors.js");
const retry_ts_1 = require("./retry.js");
/** How many milliseconds before its expiration an access token is replaced. */
const early = 60_000;
/**
 * The credential of an app that a dealership installed: `new Slipway({ baseUrl, key: oauth.token })`.
 * It gets a new access token shortly before the old one expires. Requests that wait for it share
 * one refresh.
 */
class OAuth {
    #config;
    #tokens;
    #refresh;
    constructor(config) {
        this.#config = config;
        this.#tokens = config.tokens;
    }
    /** Returns an access token that is valid. */
    token = () => {
        const tokens = this.#tokens;
        if (tokens && Date.now() + early < tokens.expiresAt)
            return Promise.resolve(tokens.accessToken);
        this.#refresh ??= this.#replace().finally(() => (this.#refresh = undefined));
        return this.#refresh;
    };
    async #replace() {
        const { tokenUrl, clientId, clientSecret, installId, save } = this.#config;
        const refreshToken = this.#tokens?.refreshToken;
        const form = new URLSearchParams({ client_id: clientId });
        if (clientSecret)
            form.set("client_secret", clientSecret);
        if (refreshToken)
            form.set("refresh_token", refreshToken);
        else if (installId)
            form.set("install_id", installId);
        form.set("grant_type", refreshToken ? "refresh_token" : "client_credentials");
        const tokens = await (0, retry_ts_1.retry)(this.#config, undefined, async () => {
            const start = Date.now();
            let response, text;
            try {
                response = await (this.#config.fetch ?? fetch)(tokenUrl, { method: "POST", body: form });
                text = await response.text();
            }
            catch (cause) {
                throw new errors_ts_1.ConnectionError("POST " + tokenUrl, cause);
            }
            if (!response.ok)
                throw (0, errors_ts_1.toError)(response, text);
            const json = JSON.parse(text);
            const next = json.refresh_token ?? refreshToken;
            return { accessToken: json.access_token, expiresAt: start + json.expires_in * 1000, ...(next && { refreshToken: next }) };
        });
        this.#tokens = tokens; // also if they can't be stored, because the old ones don't work anymore
        await save?.(tokens);
        return tokens.accessToken;
    }
}
exports.OAuth = OAuth;
