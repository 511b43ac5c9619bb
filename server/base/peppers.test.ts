import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PepperInUse, StoredPeppers } from './peppers.ts'

const derived = Buffer.alloc(32, 7)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-peppers-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = () => new StoredPeppers(folder, derived)
const shown = (peppers: StoredPeppers) =>
  peppers.live().map(({ number, key }) => [number, key.export().toString('hex')])

it('has the last pepper beside the present one until it is retired, and then not', () => {
  const peppers = open()
  expect(shown(peppers)).toEqual([[0, derived.toString('hex')]])
  expect(peppers.rotate()).toBe(1)
  const [present, former] = shown(peppers)
  expect([present?.[0], former]).toEqual([1, [0, derived.toString('hex')]])
  expect(shown(open())).toEqual([present, former])
  expect(() => peppers.rotate()).toThrow(PepperInUse)
  expect([peppers.retire(), peppers.retire()]).toEqual([true, false])
  expect(shown(open())).toEqual([present])
  expect(peppers.rotate()).toBe(2)
  expect(shown(open()).map(([number]) => number)).toEqual([2, 1])
})

it('learns of a rotation of another process when it looks', () => {
  const [running, operator] = [open(), open()]
  operator.rotate()
  expect(running.present().number).toBe(0)
  expect([running.refresh(), running.refresh()]).toEqual([true, false])
  expect(shown(running)).toEqual(shown(operator))
})

it('never loses the pepper that keys are stored under, wherever a rotation is killed', async () => {
  const module = new URL('./peppers.ts', import.meta.url).href
  const program = `
    const { StoredPeppers } = await import(${JSON.stringify(module)})
    const peppers = new StoredPeppers(${JSON.stringify(folder)}, Buffer.alloc(32, 7))
    console.log('rotating')
    peppers.rotate()`
  for (let kill = 0; kill < 6; kill += 1) {
    const before = shown(open())
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await ended
    const after = shown(open())
    // What was the present one is there still: as itself, or as the former one.
    expect(after).toContainEqual(before[0])
    if (after.length > 1) open().retire()
  }
})
