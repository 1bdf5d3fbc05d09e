import { ConnectionError, toError } from "./errors.ts";
import { retry, type Retries } from "./retry.ts";

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

/** How many milliseconds before its expiration an access token is replaced. */
const early = 60_000;

/**
 * The credential of an app that a dealership installed: `new Slipway({ baseUrl, key: oauth.token })`.
 * It gets a new access token shortly before the old one expires. Requests that wait for it share
 * one refresh.
 */
export class OAuth {
  #config: OAuthConfig;
  #tokens: Tokens | undefined;
  #refresh: Promise<string> | undefined;

  constructor(config: OAuthConfig) {
    this.#config = config;
    this.#tokens = config.tokens;
  }

  /** Returns an access token that is valid. */
  readonly token = (): Promise<string> => {
    const tokens = this.#tokens;
    if (tokens && Date.now() + early < tokens.expiresAt) return Promise.resolve(tokens.accessToken);
    this.#refresh ??= this.#replace().finally(() => (this.#refresh = undefined));
    return this.#refresh;
  };

  async #replace(): Promise<string> {
    const { tokenUrl, clientId, clientSecret, installId, save } = this.#config;
    const refreshToken = this.#tokens?.refreshToken;
    const form = new URLSearchParams({ client_id: clientId });
    if (clientSecret) form.set("client_secret", clientSecret);
    if (refreshToken) form.set("refresh_token", refreshToken);
    else if (installId) form.set("install_id", installId);
    form.set("grant_type", refreshToken ? "refresh_token" : "client_credentials");

    const tokens = await retry(this.#config, undefined, async (): Promise<Tokens> => {
      const start = Date.now();
      let response, text;
      try {
        response = await (this.#config.fetch ?? fetch)(tokenUrl, { method: "POST", body: form });
        text = await response.text();
      } catch (cause) {
        throw new ConnectionError("POST " + tokenUrl, cause);
      }
      if (!response.ok) throw toError(response, text);
      const json = JSON.parse(text);
      const next: string | undefined = json.refresh_token ?? refreshToken;
      return { accessToken: json.access_token, expiresAt: start + json.expires_in * 1000, ...(next && { refreshToken: next }) };
    });
    this.#tokens = tokens; // also if they can't be stored, because the old ones don't work anymore
    await save?.(tokens);
    return tokens.accessToken;
  }
}
