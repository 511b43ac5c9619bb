import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions } from '../../../testing/apps/caller.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const log = Buffer.from('first\nzweite – Zeile\nlast\n')
let tenant: Tenant
let task: RunnableTask
let rid: string

beforeAll(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  const ended = { state: 'completed', exit_code: 0, terminal_at: new Date(), started_at: new Date() }
  const measured = { peak_memory_bytes: 12_345, cpu_ms: 67, measured_egress_bytes: 8 }
  rid = await makeRun(db, task, { chatroom_id: tenant.roomId, ...ended, ...measured })
  await api.storage.put(`runs/${rid}/log`, log)
  const stored = { log_key: `runs/${rid}/log`, log_bytes: log.length, log_digest: `sha256:${'0'.repeat(64)}` }
  await db
    .insertInto('run_contents')
    .values({ run_id: rid, company_id: tenant.companyId, ...stored })
    .execute()
})

const ask = (route: keyof typeof extensionRoutes, call: CallOptions = {}, who = tenant.member) =>
  api.call(extensionRoutes[route], who, { params: { cid: tenant.roomId, rid }, ...call })

describe('the log of a run that has ended', () => {
  it.each<[Record<string, string>, Buffer]>([
    [{}, log],
    [{ start: '6' }, log.subarray(6)],
    [{ start: '6', length: '6' }, log.subarray(6, 12)],
    [{ start: String(log.length) }, Buffer.alloc(0)],
    [{ start: '9999' }, Buffer.alloc(0)],
    [{ tail: '5' }, Buffer.from('last\n')],
    [{ tail: '9999' }, log],
  ])('is read by %o', async (query, bytes) => {
    const answer = await ask('readRunLog', { query })
    expect(answer.status).toBe(200)
    expect(answer.bytes.equals(bytes)).toBe(true)
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['content-security-policy']).toContain('sandbox')
  })

  it('is followed to its end, from wherever the reader was', async () => {
    const events = async (call: CallOptions) => {
      const { text } = await ask('followRunLog', call)
      return [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)\n\n/gm)].map(([, id, kind, data]) => [
        Number(id),
        kind,
        JSON.parse(data ?? ''),
      ])
    }
    const end = [log.length, 'end', { kind: 'end', status: 'completed' }]
    expect(await events({})).toEqual([
      [log.length, 'log', { kind: 'log', start: 0, text: log.toString() }],
      end,
    ])
    expect(await events({ headers: { 'last-event-id': String(log.length - 5) } })).toEqual([
      [log.length, 'log', { kind: 'log', start: log.length - 5, text: 'last\n' }],
      end,
    ])
    expect(await events({ query: { start: String(log.length) } })).toEqual([end])
  })

  it('reports the usage of the run', async () => {
    expect((await ask('readRunUsage')).body).toMatchObject({
      run_id: rid,
      peak_memory_bytes: 12_345,
      cpu_ms: 67,
      egress_bytes: 8,
    })
  })

  it('is hidden from who may not read the run, and absent before there is one', async () => {
    const queued = await makeRun(db, task, { chatroom_id: tenant.roomId })
    for (const route of ['readRunLog', 'followRunLog', 'readRunUsage'] as const) {
      expect((await ask(route, {}, tenant.stranger)).status).toBe(404)
    }
    const params = { cid: tenant.roomId, rid: queued }
    expect((await ask('readRunLog', { params })).status).toBe(404)
    expect((await ask('readRunUsage', { params })).body).toMatchObject({ cpu_ms: null, terminal_at: null })
  })
})
