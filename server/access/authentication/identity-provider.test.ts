import { generateKeyPairSync, type webcrypto } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fixedPeppers, fixedTokenKeys } from '../../../testing/apps/fixed-keys.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { createLog } from '../../base/logging.ts'
import { updateUserRow } from '../../companies/user-store.ts'
import { AccessTokens } from '../login/access-tokens.ts'
import { Authentication } from './authentication.ts'
import { IdentityProvider } from './identity-provider.ts'

const { db } = await createTestDatabase()
const { companyId } = await makeTenant(db)
const issuer = 'https://people.example'
const clock = { now: () => new Date() }
const pair = await generateKeyPair('ES256')
const own = generateKeyPairSync('ed25519')
const stranger = await generateKeyPair('ES256')
const keyId = 'of-2026'
let published: object[] = []
const keyServer = createServer((_, response) => response.end(JSON.stringify({ keys: published })))

beforeAll(async () => {
  published = [{ ...(await exportJWK(pair.publicKey)), kid: keyId, alg: 'ES256' }]
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
})
afterAll(() => keyServer.close())

const authentication = (change: { jwksUrl?: string; loginClaim?: string } = {}) => {
  const jwksUrl = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/keys`
  const settings = { issuer, jwksUrl, audience: 'sandbox-jobs', loginClaim: 'sub', ...change }
  const keys = fixedTokenKeys('own', own)
  const tokens = new AccessTokens({ keys, clock, issuer: 'http://own', lifetimeSeconds: 60 })
  const identityProvider = new IdentityProvider(settings, { clock, log: createLog('test', 'silent') })
  return new Authentication({ db, tokens, identityProvider, peppers: fixedPeppers(Buffer.alloc(32)), clock })
}

interface Claims {
  login?: string
  audience?: string
  issuer?: string
  expires?: string
  privateKey?: webcrypto.CryptoKey
  more?: Record<string, unknown>
}

const token = (claims: Claims) =>
  new SignJWT({ ...claims.more })
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(claims.issuer ?? issuer)
    .setAudience(claims.audience ?? 'sandbox-jobs')
    .setSubject(claims.login ?? 'anna')
    .setExpirationTime(claims.expires ?? '5m')
    .sign(claims.privateKey ?? pair.privateKey)

const anna = await makeUser(db, companyId, { login: 'anna', role: 3 })
const enter = async (claims: Claims, change = {}) =>
  authentication(change).authenticate({
    method: 'GET',
    headers: { authorization: `Bearer ${await token(claims)}` },
  })

it('authenticates the user of that login, with the role of the directory', async () => {
  expect(await enter({ more: { role: 4, company: 'another' } })).toMatchObject({
    principalId: anna.principalId,
    companyId,
    role: 3,
    authMethod: 'jwt',
  })
  const more = { email: 'anna', email_verified: true }
  expect(await enter({ login: 'x', more }, { loginClaim: 'email' })).toMatchObject({
    principalId: anna.principalId,
  })
})

it.each([{}, { email_verified: false }])(
  'refuses a token with an address that is not verified: %o',
  async (verified) => {
    const more = { email: 'anna', ...verified }
    await expect(enter({ more }, { loginClaim: 'email' })).rejects.toMatchObject({ status: 418 })
  },
)

it.each<[string, Claims]>([
  ['of a login that the directory does not have', { login: 'nobody' }],
  ['of a login that no login can be', { login: "anna' or true" }],
  ['for another service', { audience: 'mail' }],
  ['that has expired', { expires: '-1m' }],
  ['signed by another key', { privateKey: stranger.privateKey }],
  ['of an issuer that is not configured', { issuer: 'https://other.example' }],
])('refuses a token %s', async (_, claims) => {
  await expect(enter(claims)).rejects.toMatchObject({ status: 418 })
})

it('refuses its tokens while its keys cannot be read, and those of disabled users', async () => {
  await expect(enter({}, { jwksUrl: 'http://127.0.0.1:9/keys' })).rejects.toMatchObject({ status: 418 })
  await updateUserRow(db, { companyId, id: anna.principalId }, { disabledAt: new Date() })
  await expect(enter({})).rejects.toMatchObject({ status: 418 })
})
