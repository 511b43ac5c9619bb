import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TableTrigger } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { tableTriggerRoutes } from '@sandbox-jobs/contract/routes/table-trigger-routes.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TableSteps } from '../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createEmptyDatabase, createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { systemClock } from '../../base/clock.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import type { Database } from '../../db/database.ts'
import { claimNext } from '../../runs/queue/claim-store.ts'
import { listEntries } from '../audit/audit-chain-store.ts'
import { chainAudit } from '../audit/chain-audit.ts'
import { verifyChain } from '../audit/verify-audit.ts'
import { makeCode, signInByCode } from '../operator-sign-ins/operator-sign-ins.ts'
import { type Dump, dumpDatabase } from './database/dump-database.ts'
import { loadDatabase } from './database/load-database.ts'
import { isEmptyDatabase } from './database/load-store.ts'
import { listTables } from './database/table-store.ts'
import type { Manifest } from './manifest.ts'

const { db } = await createTestDatabase()
const tables = new TableSteps(new TestApi(db))
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-backup-'))
let target: Database
let dump: Dump
let queued: string
let claimed: string
let ended: string
let company: string
let trigger: TableTrigger

const manifestOf = (made: Dump): Manifest => ({
  ...made,
  format: 1,
  release: 'x',
  madeAt: '',
  filesSha256: '',
  files: 0,
  bytes: 0,
})

/** Without the manifest, which differs. */
const source = { source: folder, identityFile: undefined }

const rowsOf = async (from: Database, table: string): Promise<string[]> => {
  const { rows } = await sql<{ row: string }>`
    select t::text as row from ${sql.table(table)} t order by 1
  `.execute(from)
  return rows.map(({ row }) => row)
}

/** A trigger, and a row event of it that waits for its run. */
async function changeRowWithTrigger(tenant: Tenant, task_version_id: string): Promise<TableTrigger> {
  const { departmentManager: manager, departmentId, roomId: chatroom_id } = tenant
  const table = await tables.create(manager, departmentId)
  const made = await tables.must<TableTrigger>(tableTriggerRoutes.createTableTrigger, manager, {
    params: { id: table.id },
    body: { name: 'invoice', events: ['create'], chatroom_id, task_version_id },
  })
  await tables.addRow(manager, table.id, { order_id: 'a' })
  return made
}

beforeAll(async () => {
  const tenant = await makeTenant(db)
  company = tenant.companyId
  const task = await makeRunnableTask(db, tenant.companyId, { work_script: 'a\\b"c\n\t(é, {}), ""' })
  const ofRoom = { chatroom_id: tenant.roomId }
  claimed = await makeRun(db, task, ofRoom)
  await claimNext(db, {
    executor: 'a machine',
    worker: 'a machine',
    companyConcurrency: 9,
    capacity: runCapacity({ slots: 16 }),
  })
  queued = await makeRun(db, task, ofRoom)
  ended = await makeRun(db, task, { ...ofRoom, state: 'completed', exit_code: 0, terminal_at: new Date() })
  trigger = await changeRowWithTrigger(tenant, task.versionId)
  await chainAudit(db)
  await db
    .updateTable('tasks')
    .set({ description: 'not chained yet' })
    .where('id', '=', task.taskId)
    .execute()
  const services = { db, clock: systemClock }
  await signInByCode(services, await makeCode(services, { account: 'grace', access: 'full' }))
  await makeCode(services, { account: 'grace', access: 'full' })
  dump = await dumpDatabase(db, { target: folder, recipients: [] })
  target = (await createEmptyDatabase()).db
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a dumped and loaded database', () => {
  it('has every row of every table unchanged, except for active runs', async () => {
    expect(await isEmptyDatabase(target)).toBe(true)
    const loaded = await loadDatabase(target, { ...source, manifest: manifestOf(dump) })
    expect(loaded).toMatchObject({ endedRuns: 2, refusedEvents: 1 })
    // These tables also have what the end of active runs and waiting events adds.
    const moving = [
      'runs',
      'state_events',
      'run_count_changes',
      'live_run_changes',
      'queue_turns',
      'usage_changes',
      'event_outbox',
      'audit_pending',
      'custom_table_trigger_events',
      'custom_table_triggers',
      'kept_byte_changes',
    ]
    for (const table of await listTables(db)) {
      if (!moving.includes(table)) expect(await rowsOf(target, table), table).toEqual(await rowsOf(db, table))
    }
    expect((await rowsOf(target, 'runs')).filter((row) => row.includes(ended))).toEqual(
      (await rowsOf(db, 'runs')).filter((row) => row.includes(ended)),
    )
  })

  it('goes on with the audit log, which stays verifiable', async () => {
    const verify = (on: Database) =>
      verifyChain(on, company, { trusted: new Map(), clock: { now: () => new Date() } })
    const { head } = await verify(db)
    expect(await chainAudit(target)).toBeGreaterThan(0)
    const restored = await verify(target)
    expect(restored.broken).toBeNull()
    expect(restored.head.sequence).toBeGreaterThan(head.sequence)
    const [entry] = await listEntries(target, { companyId: company, objectId: queued }, { limit: 1 })
    expect(entry).toMatchObject({ to_state: 'platform_failed' })
  })

  it('does not start a run again that may have run since, records why and reports it', async () => {
    for (const [id, left] of [
      [queued, 'queued'],
      [claimed, 'starting'],
    ] as const) {
      const run = await target.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      expect(run).toMatchObject({ state: 'platform_failed', error_code: 'restored_from_backup' })
      const event = await target
        .selectFrom('state_events')
        .selectAll()
        .where('entity_id', '=', id)
        .where('to_state', '=', 'platform_failed')
        .executeTakeFirstOrThrow()
      expect(event.from_state).toBe(left)
      const reported = target.selectFrom('event_outbox').select('event').where('subject_id', '=', id)
      expect(await reported.execute()).toEqual([{ event: 'run_terminal' }])
    }
    expect(
      await claimNext(target, {
        executor: 'a machine',
        worker: 'a worker',
        companyConcurrency: 9,
        capacity: runCapacity({ slots: 16 }),
      }),
    ).toBeUndefined()
  })

  it('starts no run of a row event that may have started one since, and says why', async () => {
    const { rows: waiting } =
      await sql`select from custom_table_trigger_events where outcome is null`.execute(db)
    expect(waiting).toHaveLength(1)
    const events = await target
      .selectFrom('custom_table_trigger_events')
      .select(['trigger_id', 'outcome', 'error_code', 'values', 'run_id'])
      .execute()
    const refused = { outcome: 'refused', error_code: 'restored_from_backup', values: null, run_id: null }
    expect(events).toEqual([{ trigger_id: trigger.id, ...refused }])
    const { last_error_code } = await target
      .selectFrom('custom_table_triggers')
      .select('last_error_code')
      .where('id', '=', trigger.id)
      .executeTakeFirstOrThrow()
    expect(last_error_code).toBe('restored_from_backup')
  })

  it('has no code and no sign-in to the operator console', async () => {
    for (const table of ['operator_codes', 'operator_sign_ins']) {
      expect(await rowsOf(db, table)).toHaveLength(1)
      expect(await rowsOf(target, table)).toEqual([])
    }
  })

  it('has its references, triggers and sequences', async () => {
    const objects = (from: Database) =>
      sql<{ what: string }>`
        select conname::text || pg_get_constraintdef(oid) as what from pg_constraint where connamespace = 'public'::regnamespace
        union all select tgname::text || tgenabled::text from pg_trigger where not tgisinternal
        order by 1
      `.execute(from)
    expect((await objects(target)).rows).toEqual((await objects(db)).rows)
    await expect(
      sql`insert into chatrooms (id, company_id) values ('x', 'y')`.execute(target),
    ).rejects.toThrow()
    const last = async (from: Database) => {
      const { rows } = await sql<{ id: number }>`select max(id) as id from state_events`.execute(from)
      return rows[0]?.id ?? 0
    }
    expect(await last(target)).toBe((await last(db)) + 2)
  })

  it('is not loaded with other rows than its manifest says', async () => {
    const { db: empty } = await createEmptyDatabase()
    const manifest = manifestOf(dump)
    const tables = manifest.tables.map(({ name, rows }) => ({ name, rows: name === 'tasks' ? 2 : rows }))
    await expect(loadDatabase(empty, { ...source, manifest: { ...manifest, tables } })).rejects.toThrow(
      'database/tasks.rows.gz holds 1 rows instead of 2',
    )
  })

  it('is not loaded into a database that is not empty', async () => {
    expect(await isEmptyDatabase(db)).toBe(false)
  })
})
