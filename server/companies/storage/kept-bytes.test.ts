import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeFinding, recordFindings } from '../../../testing/factories/scanned-build.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { createLog } from '../../base/logging.ts'
import { sweepRunContent } from '../../runs/retention/run-retention.ts'
import { DiskStorage } from '../../storage/disk.ts'
import {
  listKeptKinds,
  listLargestCompanies,
  readStorageUsage,
  recountKeptBytes,
} from './kept-bytes-store.ts'
import { foldKept } from './storage-quota.ts'

const { db } = await createTestDatabase()
const log = createLog('test', 'silent')
let tenant: Tenant
let task: RunnableTask
let scanned: { id: string; environmentId: string }[]

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { companyId } = tenant
  scanned = [await makeEnvironmentVersion(db, { companyId }), await makeEnvironmentVersion(db, { companyId })]
  task = await makeRunnableTask(db, tenant.companyId)
})

/** The total computed from the rows, independent of every trigger and view. */
async function rowsSay(companyId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (
      (select coalesce(sum(length(content) + 1024), 0) from run_inputs where company_id = ${companyId})
      + (select 2048 * count(*) from runs where company_id = ${companyId})
      + (select coalesce(sum(coalesce(output_bytes, 0) + coalesce(log_bytes, 0) + coalesce(bundle_bytes, 0)), 0)
          from run_contents where company_id = ${companyId} and state <> 'tombstoned')
      + (select coalesce(sum(byte_size), 0) from owned_objects
          where company_id = ${companyId} and deletion_state in ('active', 'delete_pending'))
      + (select coalesce(sum(512 + 2 * octet_length(relative_path)), 0) from run_artifacts
          where company_id = ${companyId})
      + (select coalesce(sum(octet_length(entries::text)), 0) from run_refusals where company_id = ${companyId})
      + (select coalesce(sum(declared_bytes), 0) from staging_leases
          where company_id = ${companyId} and held_until is not null)
      + (select coalesce(sum(octet_length(startup_script) + octet_length(work_script)
          + coalesce(octet_length(work_command), 0) + coalesce(octet_length(input_schema), 0)
          + coalesce(octet_length(input_example), 0) + coalesce(octet_length(input_instructions), 0)), 0)
          from task_versions where company_id = ${companyId})
      + (select coalesce(sum(1024 + coalesce(octet_length(ordinary_env::text), 0)
          + coalesce(octet_length(secret_slot_declarations::text), 0)
          + coalesce(octet_length(output_policy::text), 0)), 0)
          from task_versions where company_id = ${companyId})
      + (select coalesce(sum(512 + octet_length(name) + octet_length(description)
          + coalesce(octet_length(egress_allow_list::text), 0)), 0) from tasks where company_id = ${companyId})
      + (select coalesce(sum(512 + octet_length(revoke_reason)
          + coalesce(octet_length(secret_slot_policies::text), 0)), 0)
          from share_grants where company_id = ${companyId})
      + (select coalesce(sum(512 + octet_length(revoke_reason)), 0) from bindings where company_id = ${companyId})
      + (select coalesce(sum(768 + octet_length(rule) + octet_length(subject) + octet_length(title)
          + octet_length(installed_version) + octet_length(fixed_version)
          + coalesce(octet_length(block_reason), 0)), 0) from security_findings where company_id = ${companyId})
      + (select count(*) * 4096 from security_exceptions where company_id = ${companyId})
      + (select coalesce(sum(512 + 3 * octet_length(name)), 0) from departments where company_id = ${companyId})
      + (select coalesce(sum(768 + 3 * octet_length(name)), 0) from chatrooms where company_id = ${companyId})
      + (select coalesce(sum(1024 + 3 * octet_length(login) + octet_length(display_name)
          + coalesce(octet_length(email), 0)), 0) from users where company_id = ${companyId})
      + (select 384 * count(*) from department_managers where company_id = ${companyId})
      + (select 384 * count(*) from chatroom_members where company_id = ${companyId})
      + (select 320 * count(*) from state_events where company_id = ${companyId} and entity <> 'run')
      + (select coalesce(sum(768 + octet_length(name) + octet_length(description)
          + coalesce(octet_length(egress_allow_list::text), 0)), 0)
          from environments where company_id = ${companyId})
      + (select coalesce(sum(1536 + octet_length(source_ref) + coalesce(octet_length(image_config::text), 0)), 0)
          from environment_versions where company_id = ${companyId})
      + (select coalesce(sum(bytes), 0) from (
          select distinct on (coalesce(layer_digest, retiring_layer_digest))
            coalesce(compressed_bytes, 0) + coalesce(unpacked_bytes, 0) as bytes
          from environment_versions where company_id = ${companyId}
            and coalesce(layer_digest, retiring_layer_digest) is not null
        ) layers)
    )::bigint as bytes
  `.execute(db)
  return rows[0]?.bytes ?? 0
}

const kept = async (): Promise<number> => (await readStorageUsage(db, tenant.companyId)).keptBytes

/** A seeded random generator. */
function draws(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const layer = (at: number) => `sha256:${String(at).padStart(64, '0')}`
const digest = layer(7)

async function makeContent(draw: (below: number) => number): Promise<void> {
  const id = await makeRun(db, task, {
    chatroom_id: tenant.roomId,
    state: 'completed',
    exit_code: 0,
    terminal_at: new Date(0),
  })
  await db
    .insertInto('run_contents')
    .values({
      run_id: id,
      company_id: tenant.companyId,
      log_key: `l/${randomUUID()}`,
      log_bytes: draw(9000),
      output_bytes: draw(3),
    })
    .execute()
}

/** Rows of a run that left empty files and tried to reach an address. */
async function makeRecords(draw: (below: number) => number): Promise<void> {
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  const owned = { run_id: id, company_id: tenant.companyId }
  const artifacts = Array.from({ length: 1 + draw(3) }, (_, at) => ({
    ...owned,
    id: newId('artifact'),
    relative_path: `${at}${'é'.repeat(draw(200))}`,
    path_hash: digest,
    bundle_offset: 0,
    byte_size: 0,
    digest,
    declared_content_type: 'application/octet-stream',
  }))
  await db.insertInto('run_artifacts').values(artifacts).execute()
  const name = 'x'.repeat(draw(200))
  await sql`insert into run_refusals (run_id, company_id, entries, more)
    values (${id}, ${tenant.companyId}, ${JSON.stringify([{ name }])}::jsonb, 0)`.execute(db)
}

const makeArchive = (draw: (below: number) => number) =>
  db
    .insertInto('owned_objects')
    .values({
      id: newId('ownedObject'),
      company_id: tenant.companyId,
      environment_id: null,
      object_kind: 'context',
      archive_format: null,
      storage_key: randomUUID(),
      byte_size: 1 + draw(5000),
      digest,
      build_attempt_id: null,
      expires_at: null,
    })
    .execute()

async function moveImage(draw: (below: number) => number): Promise<void> {
  const { id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId, state: 'archived' })
  const at = draw(3)
  const bytes = { compressed_bytes: 100 * (at + 1), unpacked_bytes: 1000 }
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: layer(at), ...bytes })
    .where('id', '=', id)
    .execute()
  if (draw(2) === 0) return
  const retiring = { retiring_layer_digest: layer(at), layer_digest: null }
  await db.updateTable('environment_versions').set(retiring).where('id', '=', id).execute()
  if (draw(2) === 0) return
  await db
    .updateTable('environment_versions')
    .set({ retiring_layer_digest: null })
    .where('id', '=', id)
    .execute()
}

/** A scan of one of two environments, in which findings come, change and go. */
async function scanImage(draw: (below: number) => number): Promise<void> {
  const findings = Array.from({ length: draw(4) }, (_, at) =>
    makeFinding(`${'é'.repeat(at)}/${draw(3)}`, { installed_version: 'x'.repeat(draw(30)) }),
  )
  const { id: versionId, environmentId } = scanned[draw(2)] ?? { id: '', environmentId: '' }
  await recordFindings(db, { companyId: tenant.companyId, environmentId, versionId }, findings)
}

const operations: ((draw: (below: number) => number) => Promise<unknown>)[] = [
  makeContent,
  makeContent,
  makeRecords,
  makeArchive,
  moveImage,
  scanImage,
  () => makeRun(db, task, { chatroom_id: tenant.roomId }),
  (draw) =>
    db
      .updateTable('owned_objects')
      .set({ deletion_state: draw(2) === 0 ? 'delete_pending' : 'tombstoned' })
      .where('id', 'in', (eb) =>
        eb.selectFrom('owned_objects').select('id').where('company_id', '=', tenant.companyId).limit(1),
      )
      .execute(),
  () =>
    sweepRunContent({ db, storage: new DiskStorage('/nonexistent'), clock: { now: () => new Date() }, log }),
  () => db.deleteFrom('run_refusals').where('company_id', '=', tenant.companyId).execute(),
  foldKept({ db }),
  (draw) =>
    db
      .insertInto('staging_leases')
      .values({
        id: newId('stagingLease'),
        company_id: tenant.companyId,
        object_kind: 'script',
        declared_bytes: draw(900),
        storage_key: null,
        held_until: new Date(),
      })
      .execute(),
  () =>
    db
      .updateTable('staging_leases')
      .set({ held_until: null })
      .where('company_id', '=', tenant.companyId)
      .execute(),
]

it.each([1, 2, 3])('the count equals the sum of the rows after random changes: seed %i', async (seed) => {
  const draw = draws(seed)
  for (let step = 0; step < 60; step += 1) {
    // Runs some changes concurrently, so that triggers of several transactions overlap.
    const together = Array.from({ length: 1 + draw(3) }, async () => {
      await operations[draw(operations.length)]?.(draw)
    })
    await Promise.all(together)
    expect(await kept()).toBe(await rowsSay(tenant.companyId))
  }
  expect(await recountKeptBytes(db)).toEqual([])
})

it('a rolled-back transaction is not counted', async () => {
  const before = await kept()
  await db
    .transaction()
    .execute(async (trx) => {
      await sql`insert into run_inputs (run_id, company_id, content)
        values ('run_never', ${tenant.companyId}, ${Buffer.alloc(1000)})`.execute(trx)
      throw new Error('killed before the commit')
    })
    .catch(() => undefined)
  expect(await kept()).toBe(before)
})

it('a recount reports drift and repairs it', async () => {
  await makeRun(db, task, { chatroom_id: tenant.roomId })
  const before = await kept()
  await db
    .insertInto('kept_byte_changes')
    .values({ company_id: tenant.companyId, kind: 'logs', bytes: 77 })
    .execute()
  await foldKept({ db })()
  expect(await recountKeptBytes(db)).toEqual([
    { company_id: tenant.companyId, kind: 'logs', counted_bytes: 77, found_bytes: 0 },
  ])
  expect(await kept()).toBe(before)
  expect(await recountKeptBytes(db)).toEqual([])
})

it('reports the bytes of a company by kind, and the largest companies', async () => {
  await makeArchive(() => 4000)
  const kinds = await listKeptKinds(db, tenant.companyId)
  expect(kinds).toContainEqual({ kind: 'archives', bytes: 4001 })
  expect(kinds).toEqual(kinds.toSorted((one, other) => other.bytes - one.bytes))
  const [first] = await listLargestCompanies(db, 100_000).then((all) =>
    all.filter(({ company_id: id }) => id === tenant.companyId),
  )
  expect(first).toMatchObject({ kept_bytes: await kept(), limit_bytes: null })
})
