import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fixedTokenKeys } from '../../../testing/apps/fixed-keys.ts'
import { SignedTokens } from './signed-tokens.ts'
import { StoredTokenKeys } from './token-keys.ts'

const now = new Date('2026-11-24T08:00:00Z')
const later = new Date(now.getTime() + 60_000)
const clock = { now: () => now }
const audience = 'http://sandbox.test'
const keys = fixedTokenKeys()
const tokens = new SignedTokens({ keys, clock, audience })

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-tokens-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a token has five segments and is read as it was signed', () => {
  const token = tokens.sign('proposal-receipt', { proposal: 'prp_1' }, later)
  expect(token.split('.')).toHaveLength(5)
  expect(tokens.read('proposal-receipt', token)).toEqual({ claims: { proposal: 'prp_1' }, expiresAt: later })
})

it('every single changed bit makes a token forged', () => {
  const bytes = Buffer.from(tokens.sign('proposal-receipt', { proposal: 'prp_1' }, later), 'latin1')
  const accepted: number[] = []
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const read = tokens.read('proposal-receipt', changed.toString('latin1'))
    if (!('refused' in read) || read.refused !== 'forged') accepted.push(bit)
  }
  expect(accepted).toEqual([])
})

it('a token counts for its purpose, audience and time alone', () => {
  const token = tokens.sign('turn-context', {}, later)
  expect(tokens.read('proposal-receipt', token)).toEqual({ refused: 'forged' })
  const relabelled = token.replace('turn-context', 'proposal-receipt')
  expect(tokens.read('proposal-receipt', relabelled)).toEqual({ refused: 'forged' })
  const elsewhere = new SignedTokens({ keys, clock, audience: 'http://other.test' })
  expect(elsewhere.read('turn-context', token)).toEqual({ refused: 'forged' })
  const afterwards = new SignedTokens({ keys, clock: { now: () => later }, audience })
  expect(afterwards.read('turn-context', token)).toEqual({ refused: 'expired' })
  for (const text of ['', 'prp_1', 'a.b.c.d.e', `${token}.x`]) {
    expect(tokens.read('turn-context', text)).toEqual({ refused: 'forged' })
  }
})

it('after a rotation tokens of both keys are good, and of a leaked key none', () => {
  const stored = new StoredTokenKeys(folder)
  const rotating = new SignedTokens({ keys: stored, clock, audience })
  const first = rotating.sign('turn-context', { n: 1 }, later)
  stored.rotate(now, { lifetimeSeconds: 600, leaked: false })
  const second = rotating.sign('turn-context', { n: 2 }, later)
  expect(second.split('.')[2]).not.toBe(first.split('.')[2])
  expect(rotating.read('turn-context', first)).toMatchObject({ claims: { n: 1 } })
  expect(rotating.read('turn-context', second)).toMatchObject({ claims: { n: 2 } })
  stored.rotate(now, { lifetimeSeconds: 600, leaked: true })
  expect(rotating.read('turn-context', first)).toEqual({ refused: 'forged' })
})
