// npm's oidc-provider as the identity provider of the tests. Its settings are in the
// environment. These files change while the tests run: SLIPWAY_IDP_CLIENTS, because Slipway
// checks the provider before it knows the addresses of the client, and SLIPWAY_IDP_USERS:
// {"kim": {"email": "kim@example.com", "groups": ["Sales"]}}
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(process.env.SLIPWAY_OIDC_PROVIDER + '/');
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')));

const issuer = process.env.SLIPWAY_IDP_URL;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const configuration = {
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['only for tests'] },
  features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  ttl: { Session: 3600, Grant: 3600, Interaction: 600, AccessToken: 600, IdToken: 3600 },
  // By default, it sends no logout tokens to this machine.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
  async findAccount(_ctx, id) {
    return {
      accountId: id,
      async claims() {
        return { sub: id, email_verified: true, ...JSON.parse(readFileSync(process.env.SLIPWAY_IDP_USERS))[id] };
      },
    };
  },
};

// Returns the provider with the clients of the file.
let clients, handle;
function provider() {
  const now = readFileSync(process.env.SLIPWAY_IDP_CLIENTS, 'utf8');
  if (now === clients) return handle;
  clients = now;
  const created = new Provider(issuer, { ...configuration, clients: JSON.parse(now) });
  for (const event of ['server_error', 'authorization.error', 'grant.error', 'backchannel.error', 'end_session.error']) {
    created.on(event, (_ctx, error) => console.error(event, error));
  }
  created.on('backchannel.success', () => console.error('backchannel.success'));
  return handle = created.callback();
}
createServer((req, res) => provider()(req, res)).listen(new URL(issuer).port, '127.0.0.1', () => console.log('ready'));
