import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { fixedTokenKeys } from '../../../testing/apps/fixed-keys.ts'
import { AccessTokens } from './access-tokens.ts'

const pair = () => {
  const made = generateKeyPairSync('ed25519')
  return { ...made, ...fixedTokenKeys('one', made) }
}
const keys = pair()
const issuer = 'https://sandbox.example'
const nowMs = Date.parse('2026-01-01T00:00:00Z')
const lifetimeSeconds = 600

const tokens = (change: { issuer?: string; keys?: ReturnType<typeof pair>; atMs?: number } = {}) =>
  new AccessTokens({
    keys: change.keys ?? keys,
    clock: { now: () => new Date(change.atMs ?? nowMs) },
    issuer: change.issuer ?? issuer,
    lifetimeSeconds,
  })

const subject = { userId: 'usr_1', companyId: 'cmp_1', generation: 3 }

const rightHeader = { alg: 'EdDSA', typ: 'at+jwt', kid: 'one' }

/** A valid token except for the given change. */
const forged = (change: { header?: object; audience?: string; secret?: Uint8Array } = {}) =>
  new SignJWT({ company: 'cmp_1', gen: 3 })
    .setProtectedHeader({ ...rightHeader, ...change.header })
    .setIssuer(issuer)
    .setAudience(change.audience ?? 'sandbox-jobs')
    .setSubject('usr_1')
    .setIssuedAt(nowMs / 1000)
    .setExpirationTime(nowMs / 1000 + 60)
    .sign(change.secret ?? keys.privateKey)

const unsigned = (header: object) => {
  const payload = {
    iss: issuer,
    aud: 'sandbox-jobs',
    sub: 'usr_1',
    company: 'cmp_1',
    gen: 3,
    exp: 4e9,
    iat: 1,
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(payload)}.`
}

describe('login tokens', () => {
  it('are read as they were signed until they expire', async () => {
    const token = await tokens().sign(subject)
    expect(await tokens({ atMs: nowMs + 599_000 }).read(token)).toEqual(subject)
    expect(await tokens({ atMs: nowMs + 600_000 }).read(token)).toBeUndefined()
  })

  it('accepts a token of the forging helper without changes', async () => {
    expect(await tokens().read(await forged())).toEqual(subject)
  })

  const refused: [string, () => Promise<string>][] = [
    ['signed with another key', () => tokens({ keys: pair() }).sign(subject)],
    ['of another issuer', () => tokens({ issuer: 'https://other.example' }).sign(subject)],
    ['for another audience', () => forged({ audience: 'other' })],
    ['of another purpose', () => forged({ header: { typ: 'JWT' } })],
    ['of an unknown key id', () => forged({ header: { kid: 'two' } })],
    [
      'signed with the public key as a secret',
      () => {
        const secret = new Uint8Array(keys.publicKey.export({ type: 'spki', format: 'der' }))
        return forged({ header: { alg: 'HS256' }, secret })
      },
    ],
    ['without a signature', async () => unsigned({ ...rightHeader, alg: 'none' })],
    ['that is not a token', async () => 'a.b.c'],
  ]
  for (const [what, make] of refused) {
    it(`refuses one ${what}`, async () => {
      expect(await tokens().read(await make())).toBeUndefined()
    })
  }
})
