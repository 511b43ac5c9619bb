import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../service-problem.ts'
import { PostgresPart } from './postgres-part.ts'

const hooks = { note: () => {}, onStart: async () => {} }

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sandbox-part-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('Postgres is restarted on the same address after it dies', async () => {
  const back = Promise.withResolvers<void>()
  const part = new PostgresPart(
    { dataDir },
    {
      ...hooks,
      note: (text) => text === 'is back' && back.resolve(),
    },
  )
  await part.start()
  const { urls, pid } = part
  process.kill(pid, 'SIGKILL')
  await back.promise
  expect(part.pid).not.toBe(pid)
  expect(part.urls).toEqual(urls)
  await part.stop()
})

test('a second Postgres on the same folder is reported as a second instance', async () => {
  const first = new PostgresPart({ dataDir }, hooks)
  await first.start()
  const second = new PostgresPart({ dataDir }, hooks)
  await expect(second.start()).rejects.toMatchObject({ exitCode: exitCodes.secondInstance })
  await first.stop()
})

test('Postgres that is stopped during its start does not keep running', async () => {
  const part = new PostgresPart({ dataDir }, hooks)
  const starting = part.start()
  await part.stop()
  await starting
  const next = new PostgresPart({ dataDir }, hooks)
  await next.start()
  await next.stop()
})
