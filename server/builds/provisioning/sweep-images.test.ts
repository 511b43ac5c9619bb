import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { ExecutorRefused } from '../../../agent/port/errors.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeExecutor } from '../../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { layerOf } from '../../../testing/image-layer.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { createLog } from '../../base/logging.ts'
import { verifyStored } from '../../images/provenance/verify-stored.ts'
import { imageUseByRun } from '../../runs/retention/image-use-statement.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { imageUseByTask } from '../../tasks/versions/image-use-statement.ts'
import type { BuildTools } from '../request/build.ts'
import { sweepImages } from './sweep-images.ts'

const { db } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-images-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const storage = new DiskStorage(folder)
const dayMs = 24 * 3600 * 1000
const begin = new Date('2026-01-01T00:00:00Z')
const log = createLog('test', 'silent')
const imageUses = { byTask: imageUseByTask, byRun: imageUseByRun }

const one = '1'.repeat(32)
const other = '2'.repeat(32)

let executor: ScriptedExecutor
let tools: BuildTools
let tenant: Tenant
let layers = 0

beforeEach(async () => {
  await db
    .updateTable('environment_versions')
    .set({ state: 'archived', layer_digest: null, retiring_layer_digest: null })
    .execute()
  executor = new ScriptedExecutor()
  tools = makeBuildTools(db, { storage, executor })
  tenant = await makeTenant(db)
})

const sweepAt = (ms: number, executorId = one) =>
  sweepImages({
    db,
    storage,
    executor,
    executorId,
    imageUses,
    log,
    clock: { now: () => new Date(begin.getTime() + ms) },
  })

/** Sweeps now, to mark unreferenced images, and again some days later. */
const sweepAfter = async (days: number, extraMs = 1) => {
  await sweepAt(0)
  return sweepAt(days * dayMs + extraMs)
}

/** A runnable task on an environment version whose image is stored and on the host. */
async function runnable(layerDigest?: string): Promise<RunnableTask & { layer: string; manifest: string }> {
  layers += 1
  const layer = layerDigest ?? `sha256:${String(layers).padStart(64, '0')}`
  const task = await makeRunnableTask(db, tenant.companyId)
  const id = task.environmentVersionId
  const bytes = Buffer.from(`layer of ${id}`)
  const { promotedDigest: manifest } = await makeSignedImage(tools, {
    versionId: id,
    layer: bytes,
    diffId: layer,
  })
  const set = { layer_digest: layer, promoted_digest: manifest, unreferenced_since: null }
  await db.updateTable('environment_versions').set(set).where('id', '=', id).execute()
  await executor.installImage(layer, layerOf(Buffer.alloc(0)))
  return { ...task, layer, manifest }
}

const archive = (table: 'environment_versions' | 'task_versions' | 'tasks' | 'environments', id: string) =>
  db.updateTable(table).set({ state: 'archived' }).where('id', '=', id).execute()

async function unreferenced() {
  const task = await runnable()
  await archive('environment_versions', task.environmentVersionId)
  await archive('task_versions', task.versionId)
  return task
}

const isThere = async (image: { environmentVersionId: string; manifest: string; layer: string }) => {
  const id = image.environmentVersionId
  const stored = await verifyStored(tools, {
    id,
    promotedDigest: image.manifest,
    layerDigest: image.layer,
  }).then(
    () => true,
    () => false,
  )
  return [stored, await executor.hasImage(image.layer)]
}

it('removes an unreferenced image from host and storage after thirty days, and not before', async () => {
  const image = await unreferenced()
  expect(await sweepAfter(30, 0)).toEqual({ removed: 0, failed: 0 })
  expect(await isThere(image)).toEqual([true, true])
  expect(await sweepAfter(30)).toEqual({ removed: 1, failed: 0 })
  expect(await isThere(image)).toEqual([false, false])
  const folders = await readdir(join(folder, 'objects/images')).catch(() => [])
  expect(folders).not.toContain(image.environmentVersionId)
  const row = await db
    .selectFrom('environment_versions')
    .select(['layer_digest', 'retiring_layer_digest', 'promoted_digest', 'state'])
    .where('id', '=', image.environmentVersionId)
    .executeTakeFirst()
  expect(row).toEqual({
    layer_digest: null,
    retiring_layer_digest: null,
    promoted_digest: image.manifest,
    state: 'archived',
  })
  expect(await sweepAfter(60)).toEqual({ removed: 0, failed: 0 })
})

it('leaves its removal from other hosts to their workers, unless a version has the layer again', async () => {
  for (const id of [one, other]) await makeExecutor(db, id)
  const [gone, again] = [await unreferenced(), await unreferenced()]
  expect(await sweepAfter(30)).toEqual({ removed: 2, failed: 0 })
  await runnable(again.layer)
  executor = new ScriptedExecutor()
  for (const { layer } of [gone, again]) await executor.installImage(layer, layerOf(Buffer.alloc(0)))
  await sweepAt(0, other)
  expect([await executor.hasImage(gone.layer), await executor.hasImage(again.layer)]).toEqual([false, true])
  expect(await db.selectFrom('host_image_removals').selectAll().execute()).toEqual([])
  await sql`truncate executors, workers`.execute(db)
})

it('reaches a layer behind a whole batch that its host uses, and another host removes those', async () => {
  const used = Array.from({ length: 100 }, (_, number) => `sha256:a${String(number).padStart(63, '0')}`)
  const unused = `sha256:${'f'.repeat(64)}`
  await sql`insert into host_image_removals (executor, layer_digest)
    select executor, layer from unnest(${[one, other]}::text[]) executors (executor), unnest(${[...used, unused]}::text[]) layers (layer)
  `.execute(db)
  const removed: string[] = []
  executor.removeImage = async (layer) => {
    if (used.includes(layer)) throw new ExecutorRefused('image_in_use', 'in use')
    removed.push(layer)
  }
  for (let round = 0; round < 2; round += 1) await sweepAt(0)
  expect(removed).toEqual([unused])
  executor.removeImage = async (layer) => void removed.push(layer)
  await sweepAt(0, other)
  expect(removed.slice(1)).toEqual(used)
  await sweepAt(61_000)
  expect(removed).toHaveLength(1 + 2 * used.length)
  await sql`truncate host_image_removals`.execute(db)
})

it('waits for the company’s retention period', async () => {
  await db
    .insertInto('company_settings')
    .values({
      company_id: tenant.companyId,
      run_content_retention_days: 30,
      unreferenced_image_retention_days: 90,
      allowed_regions: ['onprem'],
      timeout_ceiling_seconds: 86_400,
      active_environment_limit: 30,
      capacity_retained_version_limit: 100,
    })
    .execute()
  await unreferenced()
  expect(await sweepAfter(90, 0)).toMatchObject({ removed: 0 })
  expect(await sweepAfter(90)).toMatchObject({ removed: 1 })
})

it('keeps images of ready versions of active environments and of published task versions', async () => {
  const ready = await runnable()
  await archive('task_versions', ready.versionId)
  const pinned = await runnable()
  await archive('environment_versions', pinned.environmentVersionId)
  expect(await sweepAfter(400)).toMatchObject({ removed: 0 })
  expect([await isThere(ready), await isThere(pinned)]).toEqual([
    [true, true],
    [true, true],
  ])
})

it('removes images of archived environments, of archived tasks and of quick runs', async () => {
  const archived = await runnable()
  const { environment_id } = await db
    .selectFrom('environment_versions')
    .select('environment_id')
    .where('id', '=', archived.environmentVersionId)
    .executeTakeFirstOrThrow()
  await archive('environments', environment_id)
  await archive('tasks', archived.taskId)
  const quick = await runnable()
  await db.updateTable('tasks').set({ hidden: true }).where('id', '=', quick.taskId).execute()
  await archive('environment_versions', quick.environmentVersionId)
  expect(await sweepAfter(31)).toMatchObject({ removed: 2 })
  const { state } = await db
    .selectFrom('environment_versions')
    .select('state')
    .where('id', '=', archived.environmentVersionId)
    .executeTakeFirstOrThrow()
  expect(state).toBe('archived')
})

it('restarts the retention period when an image was referenced again meanwhile', async () => {
  const image = await unreferenced()
  await sweepAfter(20)
  await db
    .updateTable('task_versions')
    .set({ state: 'published' })
    .where('id', '=', image.versionId)
    .execute()
  await sweepAfter(25)
  await archive('task_versions', image.versionId)
  expect(await sweepAt(26 * dayMs)).toMatchObject({ removed: 0 })
  expect(await sweepAt(55 * dayMs)).toMatchObject({ removed: 0 })
  expect(await sweepAt(57 * dayMs)).toMatchObject({ removed: 1 })
})

it('keeps the image of a run that has not ended', async () => {
  const image = await unreferenced()
  const rid = await makeRun(db, image, { chatroom_id: tenant.roomId })
  expect(await sweepAfter(31)).toMatchObject({ removed: 0 })
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('id', '=', rid)
    .execute()
  expect(await sweepAfter(31)).toMatchObject({ removed: 1 })
})

it('keeps a layer on the host that another version uses', async () => {
  const gone = await unreferenced()
  const kept = await runnable(gone.layer)
  expect(await sweepAfter(31)).toMatchObject({ removed: 1 })
  expect(await isThere(gone)).toEqual([false, true])
  expect(await isThere(kept)).toEqual([true, true])
})

it('finishes later if the host uses the image or is unavailable', async () => {
  const image = await unreferenced()
  executor.failNext('removeImage', new ExecutorRefused('image_in_use', 'in use'))
  expect(await sweepAfter(31)).toEqual({ removed: 0, failed: 1 })
  expect(await isThere(image)).toEqual([true, true])
  expect(await sweepAt(31 * dayMs)).toEqual({ removed: 0, failed: 0 })
  expect(await sweepAt(31 * dayMs + 61_000)).toEqual({ removed: 1, failed: 0 })
  expect(await isThere(image)).toEqual([false, false])
})
