import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeWrappingKeys } from './keys-conformance.ts'
import { LocalKeys } from './local-keys.ts'
import { KeysUnavailable } from './wrapping-keys.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-secret-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const prepared = () => {
  const keys = new LocalKeys(folder)
  keys.prepare()
  return keys
}
const context = Buffer.from('place')

describeWrappingKeys('local files', {
  open: async () => prepared(),
  reopen: async () => new LocalKeys(folder),
})

it('makes the first key once, readable for the group and for nobody else', () => {
  prepared()
  const { ino, mode } = statSync(join(folder, '1.key'))
  expect(mode & 0o777).toBe(0o640)
  prepared()
  expect([readdirSync(folder), statSync(join(folder, '1.key')).ino]).toEqual([['1.key'], ino])
})

it.each([
  ['writable for the group', 'ab'.repeat(32), 0o660],
  ['readable for others', 'ab'.repeat(32), 0o644],
  ['too short', 'ab'.repeat(31), 0o600],
  ['too long', 'ab'.repeat(33), 0o600],
  ['empty', '', 0o600],
  ['no hex', 'xy'.repeat(32), 0o600],
  ['two keys', `${'ab'.repeat(32)}\n${'ab'.repeat(32)}\n`, 0o600],
])('uses no file that is %s, and says which it is', async (_name, content, mode) => {
  writeFileSync(join(folder, '1.key'), content)
  chmodSync(join(folder, '1.key'), mode)
  const wrapping = new LocalKeys(folder).wrap(randomBytes(32), context)
  await expect(wrapping).rejects.toThrow(KeysUnavailable)
  await expect(wrapping).rejects.toThrow(join(folder, '1.key'))
  await expect(wrapping).rejects.not.toThrow('abab')
})

it('follows no link', async () => {
  prepared()
  renameSync(join(folder, '1.key'), join(folder, 'elsewhere'))
  symlinkSync('elsewhere', join(folder, '1.key'))
  await expect(new LocalKeys(folder).wrap(randomBytes(32), context)).rejects.toThrow(KeysUnavailable)
})

it('has no key where there is no folder, and finds one that is made later', async () => {
  const keys = new LocalKeys(join(folder, 'missing'))
  await expect(keys.wrap(randomBytes(32), context)).rejects.toThrow(KeysUnavailable)
  new LocalKeys(join(folder, 'missing')).prepare()
  expect((await keys.wrap(randomBytes(32), context)).keyId).toBe('local:1')
})

it('removes former keys and never the present one', async () => {
  const keys = prepared()
  const wrapped = await keys.wrap(randomBytes(32), context)
  await keys.rotate()
  keys.remove(2)
  keys.remove(1)
  expect(keys.numbers()).toEqual([2])
  await expect(keys.unwrap(wrapped, context)).rejects.toThrow(KeysUnavailable)
})

it('loses no key that it has named, wherever rotations are killed', async () => {
  const module = new URL('./local-keys.ts', import.meta.url).href
  const program = `
    const { LocalKeys } = await import(${JSON.stringify(module)})
    const keys = new LocalKeys(${JSON.stringify(folder)})
    for (;;) console.log(await keys.rotate())`
  for (let kill = 0; kill < 4; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let named = ''
    child.stdout.on('data', (text) => {
      named += text
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    for (let read = 0; read <= kill; read += 1)
      await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await ended
    const last = named
      .split('\n')
      .filter((line) => /^local:\d+$/.test(line))
      .at(-1)
    const keys = new LocalKeys(folder)
    expect(keys.numbers()).toContain(Number(last?.slice('local:'.length)))
    const dataKey = randomBytes(32)
    expect(await keys.unwrap(await keys.wrap(dataKey, context), context)).toEqual(dataKey)
  }
})
