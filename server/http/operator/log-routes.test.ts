import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { ServiceLog } from '@sandbox-jobs/contract/operator/service-log.ts'
import { beforeAll, expect, it } from 'vitest'
import { TestOperatorConsole } from '../../../testing/apps/test-operator-console.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { systemClock } from '../../base/clock.ts'

const { db } = await createTestDatabase()
const operators = new TestOperatorConsole(db, systemClock)
const cookie = await operators.signedIn('read_only')
const folder = join(operators.config.dataDir, 'logs')

const line = (fields: object) =>
  `${JSON.stringify({ level: 30, time: 1000, pid: 7, name: 'api', ...fields })}\n`
const read = (query = '', headers: { cookie?: string } = { cookie }) =>
  operators.send({ method: 'GET', url: `${operatorRoutes.readLog.path}${query}`, headers })
const linesOf = async (query = '') =>
  ((await read(query)).json() as ServiceLog).items.map(
    ({ service, level, text }) => `${service} ${level} ${text}`,
  )

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'api.log'),
    line({ msg: 'first', run: 'run_1', output: 'of a tenant' }) +
      line({ time: 3000, level: 50, msg: 'broken' }) +
      line({ time: 4000, level: 20, msg: 'detail' }),
  )
  writeFileSync(join(folder, 'worker.log'), line({ time: 2000, msg: 'second', name: 'worker' }))
  writeFileSync(join(folder, 'postgres.log'), "1970-01-01 00:00:05.000 UTC [7] ERROR:  value 'of a tenant'\n")
})

it('shows the newest lines of all processes first, without what a tenant may have written', async () => {
  const answer = (await read()).json() as ServiceLog
  expect(answer.items.map(({ text }) => text)).toEqual([
    ...['a line in logs/postgres.log', 'broken', 'second', 'first'],
  ])
  expect(answer.items.at(-1)).toEqual({
    ...{ at: '1970-01-01T00:00:01.000Z', service: 'api', level: 'info', text: 'first' },
    fields: { run: 'run_1' },
  })
  expect(JSON.stringify(answer)).not.toContain('of a tenant')
})

it('shows those of a process, of a level and more, and with a text in what is shown', async () => {
  expect(await linesOf('?service=worker')).toEqual(['worker info second'])
  expect(await linesOf('?level=error&service=api')).toEqual(['api error broken'])
  expect(await linesOf('?level=debug&service=api')).toHaveLength(3)
  expect(await linesOf('?text=RUN_1')).toEqual(['api info first'])
  expect(await linesOf('?text=tenant')).toEqual([])
  expect(await linesOf('?service=agent')).toEqual([])
})

it('reads a bounded part of a long log', async () => {
  writeFileSync(
    join(folder, 'backups.log'),
    line({ msg: 'old' }) + line({ msg: 'x'.repeat(900) }).repeat(3000),
  )
  expect(await linesOf('?service=backups')).toHaveLength(300)
  expect(await linesOf('?service=backups&text=old')).toEqual([])
})

it.each(['?service=shell', '?level=loud', '?text=%00', `?text=${'x'.repeat(257)}`, '?file=x'])(
  'refuses %s',
  async (query) => {
    expect((await read(query)).statusCode).toBe(422)
  },
)

it('is closed without a sign-in', async () => {
  expect((await read('', {})).statusCode).toBe(418)
})
