import { type Retries } from "./retry.ts";
/** An access token and what replaces it. */
export interface Tokens {
    accessToken: string;
    refreshToken?: string;
    /** Milliseconds since 1970. */
    expiresAt: number;
}
/** Configures the credential of an app. */
export interface OAuthConfig extends Retries {
    /** Token endpoint, such as https://slipway.example.com/oauth/token. */
    tokenUrl: string;
    clientId: string;
    /** Only for a confidential app. */
    clientSecret?: string;
    /** Install to act for. Only used without a refresh token. */
    installId?: string;
    /** Tokens that you have. Without a refresh token, the app gets tokens with its secret. */
    tokens?: Tokens;
    /**
     * Stores new tokens, before the first request uses them. A refresh token works only once, so
     * without this, the app must be allowed again after a restart.
     */
    save?: (tokens: Tokens) => void | Promise<void>;
    fetch?: typeof fetch;
}
/**
 * The credential of an app that a dealership installed: `new Slipway({ baseUrl, key: oauth.token })`.
 * It gets a new access token shortly before the old one expires. Requests that wait for it share
 * one refresh.
 */
export declare class OAuth {
    #private;
    constructor(config: OAuthConfig);
    /** Returns an access token that is valid. */
    readonly token: () => Promise<string>;
}
