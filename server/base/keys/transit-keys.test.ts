import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FormerKeyLive } from './rotated-file.ts'
import { TransitKeys } from './transit-keys.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-transit-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const shown = async (keys: TransitKeys) =>
  (await keys.live()).map((key) => key.export({ type: 'pkcs8', format: 'pem' }).toString())

it('keeps the former key live until it is retired, also in a process that has read it before', async () => {
  const [running, operator] = [new TransitKeys(folder), new TransitKeys(folder)]
  const [first] = await shown(running)
  operator.rotate()
  const [second, former, ...others] = await shown(running)
  expect(second).not.toBe(first)
  expect([former, others]).toEqual([first, []])
  expect(() => operator.rotate()).toThrow(FormerKeyLive)
  expect(await shown(running)).toEqual([second, first])

  expect([operator.retire(), operator.retire()]).toEqual([true, false])
  expect(await shown(running)).toEqual([second])
  operator.rotate()
  expect((await shown(running))[1]).toBe(second)
})

it('continues a rotation that was killed before it replaced the key', async () => {
  const keys = new TransitKeys(folder)
  const [first] = await shown(keys)
  copyFileSync(join(folder, 'transit-rsa.pem'), join(folder, 'transit-rsa.former.pem'))
  keys.rotate()
  const [second, former] = await shown(keys)
  expect(former).toBe(first)
  expect(second).not.toBe(first)
})
