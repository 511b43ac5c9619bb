import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KeyFileDamaged } from './hex-key.ts'
import { keysFolder, openKeys } from './keys.ts'
import { FormerKeyLive } from './rotated-file.ts'
import { RotatedKey } from './rotated-key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-rotated-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = () => new RotatedKey(folder, 'test')
const shown = (key: RotatedKey) => key.live().map((live) => live.export().toString('hex'))

it('keeps the former key live until it is retired', () => {
  const key = open()
  const [first] = shown(key)
  key.rotate()
  const [second, ...former] = shown(key)
  expect(second).not.toBe(first)
  expect(former).toEqual([first])
  expect(() => key.rotate()).toThrow(FormerKeyLive)
  expect(shown(key)).toEqual([second, first])
  expect([key.retire(), key.retire()]).toEqual([true, false])
  expect(shown(key)).toEqual([second])
  key.rotate()
  expect(shown(key)[1]).toBe(second)
})

it('sees at its next use what another process did', () => {
  const [running, operator] = [open(), open()]
  const before = shown(running)
  operator.rotate()
  expect(shown(running)).toEqual(shown(operator))
  operator.retire()
  expect(shown(running)).toHaveLength(1)
  expect(shown(running)).not.toEqual(before)
})

it('completes a rotation that was killed before the key was replaced', () => {
  const key = open()
  const [first] = shown(key)
  writeFileSync(join(folder, 'test.former.key'), `${first}\n`, { mode: 0o600 })
  expect(shown(key)).toEqual([first])
  key.rotate()
  expect(shown(key)).toHaveLength(2)
})

it('refuses a file that holds no key', () => {
  const key = open()
  shown(key)
  writeFileSync(join(folder, 'test.key'), 'no key')
  expect(() => key.live()).toThrow(KeyFileDamaged)
})

it('never loses the key before the last rotation, wherever rotations are killed', async () => {
  const module = new URL('./rotated-key.ts', import.meta.url).href
  const program = `
    const { RotatedKey } = await import(${JSON.stringify(module)})
    const key = new RotatedKey(${JSON.stringify(folder)}, 'test')
    key.retire()
    for (;;) {
      console.log(key.live()[0].export().toString('hex'))
      key.rotate()
      console.log(key.live()[0].export().toString('hex'))
      key.retire()
    }`
  for (let kill = 0; kill < 6; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
    })
    const ended = once(child, 'close')
    for (let looks = 0; looks <= kill; looks += 1) await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended
    // A key that was said last is the present one, or the former one of a rotation that was not reported.
    const last = said.trim().split('\n').at(-1)
    expect(shown(open())).toContain(last)
  }
})

it('keeps the name of the deployment and stored API keys when the root key is rotated', () => {
  const data = keysFolder(folder)
  const { deployment, peppers, root } = openKeys(data)
  const [pepper] = peppers.live()
  openKeys(data).rotateRoot()
  expect(root.live()).toHaveLength(2)
  root.retire()
  const after = openKeys(data)
  expect(after.deployment).toBe(deployment)
  expect(after.peppers.live().map(({ key }) => key.equals(pepper?.key as never))).toEqual([true])
})
