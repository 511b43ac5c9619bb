import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { newId } from '../../base/ids.ts'
import { StoredTokenKeys } from '../../base/keys/token-keys.ts'
import { readLinkToken, signLinkToken } from './link-token.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-link-'))
afterAll(() => rmSync(folder, { recursive: true }))

const startAt = new Date('2026-01-01T00:00:00Z')
let now: Date
let linkKeys: StoredTokenKeys
const clock = { now: () => now }
const at = (deployment: string) => ({ linkKeys, clock, deployment })
const here = () => at('sandbox-jobs:1')
const later = (seconds: number) => new Date(startAt.getTime() + seconds * 1000)

const id = newId('signedLink')
const tokenOf = (purpose: 'share' | 'media' = 'share') =>
  signLinkToken(here(), { id, purpose, expires_at: later(60) })

beforeEach(() => {
  now = startAt
  linkKeys = new StoredTokenKeys(mkdtempSync(join(folder, 'keys-')), 'link')
})

it('names its link and its purpose, until its time is over', () => {
  const token = tokenOf('media')
  expect(token).toHaveLength(128)
  now = later(59)
  expect(readLinkToken(here(), token)).toEqual({ id, purpose: 'media' })
  now = later(60)
  expect(readLinkToken(here(), token)).toBeUndefined()
})

it('is worth nothing at another deployment, under another key, or with one bit changed', () => {
  const token = tokenOf()
  expect(readLinkToken(at('sandbox-jobs:2'), token)).toBeUndefined()
  const other = new StoredTokenKeys(mkdtempSync(join(folder, 'keys-')), 'link')
  expect(readLinkToken({ ...here(), linkKeys: other }, token)).toBeUndefined()
  const bytes = Buffer.from(token, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(readLinkToken(here(), changed.toString('base64url'))).toBeUndefined()
  }
  for (const text of ['', 'x', `${token}A`, `${token}=`]) expect(readLinkToken(here(), text)).toBeUndefined()
})

it('stays good when the key is rotated, and is void when the key has leaked', () => {
  const first = tokenOf()
  linkKeys.rotate(now, { lifetimeSeconds: 60, leaked: false })
  const second = tokenOf()
  expect([first, second].map((token) => readLinkToken(here(), token)?.id)).toEqual([id, id])
  linkKeys.rotate(now, { lifetimeSeconds: 60, leaked: true })
  expect([first, second].map((token) => readLinkToken(here(), token))).toEqual([undefined, undefined])
})
