import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linesBackwards, openLog } from './lines-backwards.ts'

const id = '5ec2e700'.repeat(4)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-lines-'))
})
afterEach(() => rm(folder, { recursive: true }))

const linesOf = async (name: string) => {
  const log = await openLog(join(folder, name))
  return log ? Array.fromAsync(linesBackwards(log, id)) : undefined
}
const write = (name: string, lines: string[]) => writeFile(join(folder, name), `${lines.join('\n')}\n`)

test('lines are found from the end, wherever the blocks of a file are cut', async () => {
  const lines = Array.from({ length: 3000 }, (_value, at) => {
    const long = at % 7 === 0 ? 300_000 / (1 + (at % 91)) : at % 400
    return `${at} ${'x'.repeat(long)}${at % 5 === 0 ? ` ${id}` : ''} end`
  })
  await write('api.log', lines)
  const found = await linesOf('api.log')
  expect(found).toEqual(lines.filter((each) => each.includes(id)).toReversed())
})

test('a line that is longer than any of the service is left out, and the ones around it are found', async () => {
  await write('api.log', [`first ${id}`, 'x'.repeat(3_000_000), `last ${id}`])
  expect(await linesOf('api.log')).toEqual([`last ${id}`, `first ${id}`])
})
