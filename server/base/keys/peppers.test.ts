import { spawn } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { StoredPeppers } from './peppers.ts'
import { FormerKeyLive } from './rotated-file.ts'

const derived = Buffer.alloc(32, 7)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-peppers-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = () => new StoredPeppers(folder, createSecretKey(derived))
const shown = (peppers: StoredPeppers) =>
  peppers.live().map(({ number, key }) => [number, key.export().toString('hex')])

it('keeps the former pepper live until it is retired', () => {
  const peppers = open()
  expect(shown(peppers)).toEqual([[0, derived.toString('hex')]])
  expect(peppers.rotate()).toBe(1)
  const [present, former] = shown(peppers)
  expect([present?.[0], former]).toEqual([1, [0, derived.toString('hex')]])
  expect(shown(open())).toEqual([present, former])
  expect(() => peppers.rotate()).toThrow(FormerKeyLive)
  expect([peppers.retire(), peppers.retire()]).toEqual([true, false])
  expect(shown(open())).toEqual([present])
  expect(peppers.rotate()).toBe(2)
  expect(shown(open()).map(([number]) => number)).toEqual([2, 1])
})

it('sees a rotation of another process when it refreshes', () => {
  const [running, operator] = [open(), open()]
  operator.rotate()
  expect(running.present().number).toBe(0)
  expect([running.refresh(), running.refresh()]).toEqual([true, false])
  expect(shown(running)).toEqual(shown(operator))
})

it('never loses a pepper that it has reported, wherever rotations and retirements are killed', async () => {
  const module = new URL('./peppers.ts', import.meta.url).href
  const program = `
    const { StoredPeppers } = await import(${JSON.stringify(module)})
    const { createSecretKey } = await import('node:crypto')
    const peppers = new StoredPeppers(${JSON.stringify(folder)}, createSecretKey(Buffer.alloc(32, 7)))
    peppers.retire()
    for (;;) { console.log(peppers.rotate()); peppers.retire() }`
  for (let kill = 0; kill < 6; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    for (let looks = 0; looks <= kill; looks += 1)
      await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await ended
    const [present = 0, ...former] = open()
      .live()
      .map(({ number }) => number)
    expect(present).toBeGreaterThanOrEqual(Number(said.trim().split('\n').at(-1)))
    expect(former.every((number) => number === present - 1)).toBe(true)
  }
})
