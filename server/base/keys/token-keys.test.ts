import { spawn } from 'node:child_process'
import { createPublicKey, sign, verify } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { StoredTokenKeys } from './token-keys.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-token-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const now = new Date('2026-01-01T00:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const lifetime = { lifetimeSeconds: 600, leaked: false }
const text = Buffer.from('a token')

/** Signs a token in this process. */
function signed(keys: StoredTokenKeys) {
  const { id, key } = keys.signing()
  return { id, signature: sign(null, text, key) }
}
function isGood(keys: StoredTokenKeys, { id, signature }: ReturnType<typeof signed>, at: Date) {
  const key = keys.verifying(id, at)
  return key !== undefined && verify(null, text, key, signature)
}

it('verifies tokens of the former key until the longest has expired, without a restart', () => {
  const [running, operator] = [new StoredTokenKeys(folder), new StoredTokenKeys(folder)]
  const old = signed(running)
  const next = operator.rotate(now, lifetime)
  expect(next).not.toBe(old.id)
  expect(isGood(running, old, later(600))).toBe(true)
  expect(isGood(running, old, later(700))).toBe(false)
  const fresh = signed(running)
  expect(fresh.id).toBe(next)
  expect(isGood(new StoredTokenKeys(folder), fresh, later(700))).toBe(true)
})

it('keeps no former private key, and removes public keys that verify no live token', () => {
  const keys = new StoredTokenKeys(folder)
  const ids = [keys.signing().id]
  for (let days = 0; days < 3; days += 1) ids.push(keys.rotate(later(days * 86_400), lifetime))
  expect(readdirSync(join(folder, 'former-tokens'))).toEqual([expect.stringContaining(ids[2] ?? '')])
  expect(readdirSync(folder).filter((name) => name.endsWith('.pem'))).toEqual(['token-signing.pem'])
})

it('rejects all tokens of a leaked key, also in a running process', () => {
  const running = new StoredTokenKeys(folder)
  const first = signed(running)
  new StoredTokenKeys(folder).rotate(now, lifetime)
  const second = signed(running)
  new StoredTokenKeys(folder).rotate(now, { ...lifetime, leaked: true })
  expect([first, second].map((old) => isGood(running, old, now))).toEqual([false, false])
  expect(isGood(running, signed(running), now)).toBe(true)
})

it('loses no signed token, wherever a rotation is killed', async () => {
  const module = new URL('./token-keys.ts', import.meta.url).href
  const program = `
    const { StoredTokenKeys } = await import(${JSON.stringify(module)})
    const keys = new StoredTokenKeys(${JSON.stringify(folder)})
    console.log('rotating')
    for (;;) keys.rotate(new Date(${now.getTime()}), { lifetimeSeconds: 600, leaked: false })`
  const tokens = [signed(new StoredTokenKeys(folder))]
  for (let kill = 0; kill < 5; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    // Kills at a different point each time: each read is of the folder, which a rotation changes several times.
    for (let looks = 0; looks < 3 + kill; looks += 1) tokens.push(signed(new StoredTokenKeys(folder)))
    child.kill('SIGKILL')
    await ended
    const keys = new StoredTokenKeys(folder)
    for (const token of tokens) expect(isGood(keys, token, now)).toBe(true)
    expect(createPublicKey(keys.signing().key).asymmetricKeyType).toBe('ed25519')
  }
})
