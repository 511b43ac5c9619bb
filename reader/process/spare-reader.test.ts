import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { sleep } from '../../server/base/clock.ts'
import { startTestReader } from '../../testing/test-readers.ts'
import { tar } from '../formats/archive-fixtures.ts'
import { flatImageBounds } from '../images/flat-image.ts'
import { imageLimits } from './archive-readers.ts'
import type { ReaderProcess } from './reader-process.ts'
import { SpareReader } from './spare-reader.ts'

async function read(reader: ReaderProcess) {
  const verdict = reader.runJob({ kind: 'image', bounds: flatImageBounds })
  await reader.write(tar({ name: 'a', content: 'x' }))
  reader.input.end()
  const { kind } = await verdict
  reader.kill()
  return { kind, pid: reader.pid }
}

it('each archive has a reader of its own, started before or not', async () => {
  const spare = new SpareReader(startTestReader, imageLimits)
  spare.prepare()
  spare.prepare()
  const [one, other] = [await read(spare.take()), await read(spare.take())]
  expect([one.kind, other.kind]).toEqual(['image', 'image'])
  expect(one.pid).not.toBe(other.pid)
})

it('a reader that ended while it waited is not taken', async () => {
  let started = 0
  const spare = new SpareReader((limits) => {
    started += 1
    return started === 1 ? { command: ['/bin/false'] } : startTestReader(limits)
  }, imageLimits)
  spare.prepare()
  await sleep(500)
  expect((await read(spare.take())).kind).toBe('image')
  expect(started).toBe(2)
})

it('a reader that waits keeps no process alive', async () => {
  const program = `
    const { SpareReader } = await import('${import.meta.dirname}/spare-reader.ts')
    const { imageLimits } = await import('${import.meta.dirname}/archive-readers.ts')
    const { startTestReader } = await import('${import.meta.dirname}/../../testing/test-readers.ts')
    new SpareReader(startTestReader, imageLimits).prepare()
    console.log('prepared')`
  const words = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 20_000 })
  expect(stdout).toBe('prepared\n')
})
