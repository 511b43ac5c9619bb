import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type VaultFault, VaultServer } from '../../../testing/vault/vault-server.ts'
import { describeWrappingKeys } from './keys-conformance.ts'
import { LocalKeys } from './local-keys.ts'
import { VaultKeys } from './vault-keys.ts'
import { KeysUnavailable, keyRing, WrappedKeyRefused } from './wrapping-keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-vault-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tokenFile = join(folder, 'token')
const context = Buffer.from('place')

let vault: VaultServer
beforeEach(async () => {
  writeFileSync(tokenFile, 'hvs.test\n')
  vault = await VaultServer.start({ token: 'hvs.test', key: 'sandbox-jobs' })
})
afterEach(() => vault.stop())

const keysOf = (changes: Partial<ConstructorParameters<typeof VaultKeys>[0]> = {}) =>
  new VaultKeys({
    address: vault.address,
    mount: 'transit',
    key: 'sandbox-jobs',
    tokenFile,
    timeoutMs: 2000,
    ...changes,
  })

describeWrappingKeys('Vault', { open: async () => keysOf(), reopen: async () => keysOf() })

it('sends what the API of the engine takes', async () => {
  const keys = keysOf({ namespace: 'team/a' })
  await keys.unwrap(await keys.wrap(randomBytes(32), context), context)
  expect(vault.requests).toEqual([
    { method: 'POST', path: 'transit/encrypt/sandbox-jobs', token: 'hvs.test', namespace: 'team/a' },
    { method: 'POST', path: 'transit/decrypt/sandbox-jobs', token: 'hvs.test', namespace: 'team/a' },
  ])
})

it('reads its token anew each time', async () => {
  const keys = keysOf()
  writeFileSync(tokenFile, 'hvs.other\n')
  await expect(keys.wrap(randomBytes(32), context)).rejects.toThrow('Vault answered 403')
  writeFileSync(tokenFile, 'hvs.test')
  expect((await keys.wrap(randomBytes(32), context)).keyId).toBe('vault:1')
  for (const token of ['', 'two words', 'x'.repeat(5000)]) {
    writeFileSync(tokenFile, token)
    await expect(keys.wrap(randomBytes(32), context)).rejects.toThrow(KeysUnavailable)
  }
  rmSync(tokenFile)
  await expect(keys.wrap(randomBytes(32), context)).rejects.toThrow(KeysUnavailable)
})

describe('a vault that cannot be relied on', () => {
  const faults: VaultFault[] = [
    'sealed',
    'silent',
    'slow',
    'no json',
    'another shape',
    'another length',
    'endless',
    'hangs up',
    'error without text',
  ]
  it.each(faults)('gives no key, and says in time that it does not: %s', async (fault) => {
    const keys = keysOf({ timeoutMs: 300 })
    const wrapped = await keysOf().wrap(randomBytes(32), context)
    vault.fault = fault
    const work = [keys.wrap(randomBytes(32), context), keys.unwrap(wrapped, context), keys.presentId()]
    for (const one of await Promise.allSettled(work))
      expect(one).toMatchObject({ status: 'rejected', reason: expect.any(KeysUnavailable) })
    vault.fault = undefined
    expect(await keys.presentId()).toBe('vault:1')
  })

  it('is not there, or has no such key', async () => {
    await expect(keysOf({ address: 'http://127.0.0.1:1' }).wrap(randomBytes(32), context)).rejects.toThrow(
      KeysUnavailable,
    )
    await expect(keysOf({ key: 'other' }).wrap(randomBytes(32), context)).rejects.toThrow(KeysUnavailable)
    await expect(keysOf({ key: 'other' }).presentId()).rejects.toThrow(KeysUnavailable)
  })

  it('has nothing of what went wrong in the error but a status', async () => {
    const dataKey = Buffer.from('canary-canary-canary-canary-cana')
    vault.fault = 'no json'
    const error = await keysOf()
      .wrap(dataKey, context)
      .catch((caught: unknown) => caught)
    expect(String(error)).not.toMatch(/canary|hvs|Y2FuYX/)
  })
})

it('is asked for its own keys alone, where keys are in two places', async () => {
  const local = new LocalKeys(join(folder, 'local'))
  local.prepare()
  const before = await keyRing(local, [keysOf()]).wrap(randomBytes(32), context)
  const ring = keyRing(keysOf(), [local])
  const after = await ring.wrap(randomBytes(32), context)
  expect([before.keyId, after.keyId]).toEqual(['local:1', 'vault:1'])
  expect(await ring.unwrap(before, context)).toHaveLength(32)
  await expect(ring.unwrap({ ...after, keyId: 'elsewhere:1' }, context)).rejects.toThrow(KeysUnavailable)
  await expect(keysOf().unwrap({ ...after, keyId: 'vault:2' }, context)).rejects.toThrow(WrappedKeyRefused)
})
