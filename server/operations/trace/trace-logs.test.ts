import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { traceLogs } from './trace-logs.ts'

const id = '5ec2e700'.repeat(4)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-trace-'))
})
afterEach(() => rm(folder, { recursive: true }))

const write = (name: string, lines: string[]) => writeFile(join(folder, name), `${lines.join('\n')}\n`)
const line = (at: number, fields: object) => JSON.stringify({ level: 30, time: at, name: 'api', ...fields })

test('all logs are read with their older files, and of a line only ids, names and numbers are shown', async () => {
  const request = { request: id, method: 'POST', route: '/runs/:run', status: 500, ms: 3.5 }
  await write('api.log.1', [
    line(1000, { ...request, msg: 'request', input: 'sbx_input', token: 'sbx_token' }),
  ])
  await write('api.log', [
    line(2000, {
      request: id,
      msg: 'request failed',
      error: { message: 'no row', stack: 'sbx_stack', detail: 'sbx_row' },
    }),
    line(3000, { request: 'another', msg: 'request' }),
  ])
  await write('supervisor.log', [`1970-01-01T00:00:04.000Z worker ended over ${id}`])
  await write('postgres.log', [`1970-01-01 00:00:05.000 UTC [7] ERROR: sbx_value ${id}`])
  await write('notes.txt', [`sbx_note ${id}`])
  const { found, isCut } = await traceLogs(folder, id, 10)
  expect(isCut).toBe(false)
  expect(JSON.stringify(found)).not.toContain('sbx_')
  const shown = found.map(({ at, source, text, fields }) => [at?.getTime(), source, text, fields])
  expect(shown).toHaveLength(4)
  expect(shown).toEqual(
    expect.arrayContaining([
      [1000, 'api', 'request', request],
      [2000, 'api', 'request failed', { request: id, error: 'no row' }],
      [4000, 'supervisor', `worker ended over ${id}`, {}],
      [5000, 'postgres', 'a line in logs/postgres.log', {}],
    ]),
  )
})

test('of many lines the newest are shown, and it is said that there are more', async () => {
  await write(
    'api.log',
    Array.from({ length: 20 }, (_value, at) => line(at, { request: id, msg: 'request' })),
  )
  const { found, isCut } = await traceLogs(folder, id, 5)
  expect([found.map(({ at }) => at?.getTime()), isCut]).toEqual([[19, 18, 17, 16, 15], true])
})
