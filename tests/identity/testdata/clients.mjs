// Goes through the install flow with a strict client library. It prints the URL that
// the user must open, and reads the URL that the user returned to.
//
//   node clients.mjs oauth4webapi|openid-client
import { createInterface } from 'node:readline'
import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

const { ISSUER, SERVER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env
const issuer = new URL(ISSUER)
const me = new URL('/v1/me', issuer)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

// The test server has another address than its public URL.
const mapped = (url, options) => fetch(String(url).replace(issuer.origin, SERVER), options)

async function visit(url) {
  console.log(String(url))
  return new URL((await lines.next()).value)
}

async function withOauth4webapi() {
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: mapped }
  const resource = await oauth.resourceDiscoveryRequest(new URL(issuer.origin), options)
  const api = await oauth.processResourceDiscoveryResponse(new URL(issuer.origin), resource)
  assert.deepEqual(api.authorization_servers, [ISSUER])
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }))
  assert.ok(as.authorization_response_iss_parameter_supported)
  const client = { client_id: CLIENT_ID }

  let last
  for (const auth of [oauth.ClientSecretBasic(CLIENT_SECRET), oauth.ClientSecretPost(CLIENT_SECRET)]) {
    const verifier = oauth.generateRandomCodeVerifier(), state = oauth.generateRandomState()
    const url = new URL(as.authorization_endpoint)
    url.search = new URLSearchParams({
      client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'hulls:read', state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    })
    const params = oauth.validateAuthResponse(as, client, await visit(url), state)
    const exchanged = await oauth.authorizationCodeGrantRequest(as, client, auth, params, REDIRECT_URI, verifier, options)
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, exchanged)
    const refreshed = await oauth.processRefreshTokenResponse(as, client,
      await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token, options))
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
    const own = await oauth.processClientCredentialsResponse(as, client,
      await oauth.clientCredentialsGrantRequest(as, client, auth, new URLSearchParams(), options))
    for (const token of [tokens.access_token, refreshed.access_token, own.access_token]) {
      const res = await oauth.protectedResourceRequest(token, 'GET', me, undefined, undefined, options)
      assert.equal((await res.json()).app_id, CLIENT_ID)
      const described = await oauth.processIntrospectionResponse(as, client, await oauth.introspectionRequest(as, client, auth, token, options))
      assert.equal(described.active, true)
    }
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, refreshed.refresh_token, options))
    const ended = await oauth.processIntrospectionResponse(as, client,
      await oauth.introspectionRequest(as, client, auth, refreshed.access_token, options))
    assert.equal(ended.active, false)
    last = refreshed.refresh_token
  }
  await assert.rejects(async () => oauth.processRefreshTokenResponse(as, client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.ClientSecretPost(CLIENT_SECRET), last, options)), { error: 'invalid_grant' })
}

async function withOpenidClient() {
  const config = await openid.discovery(issuer, CLIENT_ID, undefined, openid.ClientSecretBasic(CLIENT_SECRET), {
    algorithm: 'oauth2', execute: [openid.allowInsecureRequests], [openid.customFetch]: mapped,
  })
  const pkceCodeVerifier = openid.randomPKCECodeVerifier(), expectedState = openid.randomState()
  const returned = await visit(openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI, scope: 'hulls:read', state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256',
  }))
  const tokens = await openid.authorizationCodeGrant(config, returned, { pkceCodeVerifier, expectedState })
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token)
  const own = await openid.clientCredentialsGrant(config)
  for (const token of [refreshed.access_token, own.access_token]) {
    const res = await openid.fetchProtectedResource(config, token, me, 'GET')
    assert.equal((await res.json()).app_id, CLIENT_ID)
    assert.equal((await openid.tokenIntrospection(config, token)).active, true)
  }
  await openid.tokenRevocation(config, refreshed.refresh_token)
  assert.equal((await openid.tokenIntrospection(config, refreshed.access_token)).active, false)
  await assert.rejects(openid.refreshTokenGrant(config, refreshed.refresh_token), { error: 'invalid_grant' })
}

await { 'oauth4webapi': withOauth4webapi, 'openid-client': withOpenidClient }[process.argv[2]]()
console.log('done')
process.exit(0)
