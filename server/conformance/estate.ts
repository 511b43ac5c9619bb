import { createHash } from 'node:crypto'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { newId } from '../base/ids.ts'
import type { SigningKeys } from '../base/signing-keys.ts'
import { buildLogKey } from '../builds/build-log-key.ts'
import type { Database } from '../db/database.ts'
import type { Principal } from '../platform/principal.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { makeEnvironmentVersion } from '../testing/factories/environment-version.ts'
import { makeRun } from '../testing/factories/runs.ts'
import { giveReport, makeFinding, showFindings } from '../testing/factories/scanned-build.ts'
import { makeSignedImage } from '../testing/factories/signed-image.ts'
import { addMember, makeDepartment, makeRoom, makeUser } from '../testing/factories/tenant.ts'

/** Things of one company, one of each kind, by the names that `idsOf` and the expectations use. */
export interface Estate {
  companyId: string
  people: {
    /** Of the room that everything happens in. */
    member: Principal
    /** Member of another room, in another department. */
    outsider: Principal
    /** Manages the department of the room. */
    manager: Principal
    /** Manages the other department. */
    otherManager: Principal
    companyManager: Principal
    administrator: Principal
  }
  otherRoom: string
  ids: Record<Example, string>
}

export const examples = [
  'room',
  'department',
  'user',
  'apiKey',
  'environment',
  'readyVersion',
  'version',
  'failedVersion',
  'failedBuild',
  'build',
  'finding',
  'exception',
  'upload',
  'receivedUpload',
  'task',
  'taskVersion',
  'newerTaskVersion',
  'draft',
  'share',
  'binding',
  'run',
  'queuedRun',
  'artifact',
  'publicToken',
] as const
export type Example = (typeof examples)[number]

/** Of everybody. */
export const examplePassword = 'correct horse battery'

/** What makes an estate: a database, a place for bytes, and a call that must succeed. */
export interface Ground {
  db: Database
  storage: ObjectStorage
  signing: SigningKeys
  passwordHash: string
  must: (
    as: Principal,
    route: Route,
    call: {
      params?: Record<string, string>
      body?: unknown
      bytes?: Buffer
      headers?: Record<string, string>
    },
  ) => Promise<Record<string, unknown>>
}

/** One company in which everything that an id can name exists once. */
export async function makeEstate(ground: Ground): Promise<Estate> {
  const { db } = ground
  const companyId = newId('company')
  await db.insertInto('companies').values({ id: companyId, name: companyId }).execute()
  const department = await makeDepartment(db, companyId)
  const otherDepartment = await makeDepartment(db, companyId)
  const room = await makeRoom(db, { companyId, departmentId: department })
  const otherRoom = await makeRoom(db, { companyId, departmentId: otherDepartment })
  const person = (role: number, managedDepartmentIds: string[] = []) =>
    makeUser(db, { companyId, role, managedDepartmentIds })
  const people = {
    member: await person(1),
    outsider: await person(1),
    manager: await person(2, [department]),
    otherManager: await person(2, [otherDepartment]),
    companyManager: await person(3),
    administrator: await person(4),
  }
  await db
    .updateTable('users')
    .set({ password_hash: ground.passwordHash })
    .where('company_id', '=', companyId)
    .execute()
  await addMember(db, { companyId, roomId: room, userId: people.member.principalId })
  await addMember(db, { companyId, roomId: otherRoom, userId: people.outsider.principalId })
  const key = await ground.must(people.administrator, allRoutes.createApiKey, {
    body: { name: 'key', scope: 'full' },
  })
  const place = { companyId, department, room, manager: people.manager }
  const built = await makeEnvironment(ground, place)
  const offered = await makeTask(ground, place, built.readyVersion)
  const used = await makeRuns(ground, { ...place, ...offered, environmentVersion: built.readyVersion })
  const apiKey = String(key.id)
  const ids = { room, department, user: people.member.principalId, apiKey, ...built, ...offered, ...used }
  return { companyId, people, otherRoom, ids }
}

interface Place {
  companyId: string
  department: string
  room: string
  manager: Principal
}

async function makeEnvironment(ground: Ground, place: Place) {
  const { db, must } = ground
  const { companyId, department, manager } = place
  const { id: readyVersion, environmentId: environment } = await makeEnvironmentVersion(db, { companyId })
  await db
    .updateTable('environments')
    .set({ owner_scope: 'department', owner_id: department })
    .where('id', '=', environment)
    .execute()
  const image = await makeSignedImage(ground, { versionId: readyVersion, layer: Buffer.from('layer') })
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: image.layerDigest, promoted_digest: image.promotedDigest })
    .where('id', '=', readyVersion)
    .execute()
  const params = { id: environment }
  const draft = { source_digest: `sha256:${'a'.repeat(64)}`, resource_profile: 'standard' }
  const version = await must(manager, allRoutes.createEnvironmentVersion, { params, body: draft })
  const attempt = await must(manager, allRoutes.createBuild, {
    params: { ...params, vid: String(version.id) },
  })
  await ground.storage.put(buildLogKey(String(attempt.id)), Buffer.from('STEP 1/1: FROM scratch'))
  const scanned = { companyId, environmentId: environment, versionId: String(version.id) }
  await giveReport(db, ground.storage, { ...scanned, attemptId: String(attempt.id) })
  const findings = await makeFindings(ground, { ...place, ...scanned, current: readyVersion })
  const failed = await must(manager, allRoutes.createEnvironmentVersion, { params, body: draft })
  await db
    .updateTable('environment_versions')
    .set({ state: 'retryable_failed', state_changed_at: new Date() })
    .where('id', '=', String(failed.id))
    .execute()
  const failedBuild = await makeFailedBuild(db, { companyId, versionId: String(failed.id) })
  const bytes = Buffer.from('archive')
  const body = { declared_bytes: bytes.length }
  const upload = await must(manager, allRoutes.initContextUpload, { params, body })
  const received = await must(manager, allRoutes.initContextUpload, { params, body })
  await must(manager, allRoutes.putContextUpload, {
    params: { ...params, sid: String(received.upload_session_id) },
    bytes,
    headers: { 'x-sandbox-upload-capability': String(received.capability_token) },
  })
  return {
    environment,
    readyVersion,
    version: String(version.id),
    failedVersion: String(failed.id),
    build: String(attempt.id),
    failedBuild,
    ...findings,
    upload: String(upload.upload_session_id),
    receivedUpload: String(received.upload_session_id),
  }
}

async function makeFailedBuild(db: Database, of: { companyId: string; versionId: string }): Promise<string> {
  const id = newId('buildAttempt')
  await db
    .insertInto('build_attempts')
    .values({
      id,
      company_id: of.companyId,
      environment_version_id: of.versionId,
      attempt_number: 1,
      state: 'customer_failed',
      error_code: 'dockerfile_exit',
      build_region: 'onprem',
      build_profile: 'standard',
      terminal_at: new Date(),
    })
    .execute()
  return id
}

/** One that may be excepted and one that is. */
async function makeFindings(
  { db, must }: Ground,
  made: { companyId: string; environmentId: string; current: string; manager: Principal },
) {
  await showFindings(db, { ...made, versionId: made.current }, [
    makeFinding('usr/bin/a'),
    makeFinding('usr/bin/b'),
  ])
  const params = { id: made.environmentId }
  const { items } = await must(made.manager, allRoutes.listFindings, { params })
  const [finding = '', excepted = ''] = (items as { id: string }[]).map(({ id }) => id)
  const exception = await must(made.manager, allRoutes.createException, {
    params: { ...params, fid: excepted },
    body: { reason: 'known' },
  })
  return { finding, exception: String(exception.id) }
}

async function makeTask(ground: Ground, place: Place, environmentVersion: string) {
  const { must } = ground
  const { manager, department, room } = place
  const owner = { owner_scope: 'department', owner_id: department }
  const task = String((await must(manager, allRoutes.createTask, { body: { name: 'Report', ...owner } })).id)
  const params = { id: task }
  const body = { environment_version_id: environmentVersion, work_script: 'true' }
  const write = async () => String((await must(manager, allRoutes.createTaskVersion, { params, body })).id)
  const publish = async (vid: string) => {
    await must(manager, allRoutes.publishTaskVersion, { params: { ...params, vid } })
    return vid
  }
  const taskVersion = await publish(await write())
  const target = { target_kind: 'chatroom', target_id: room }
  const share = await must(manager, allRoutes.createShare, { params, body: target })
  const enabled = await must(manager, allRoutes.enableGrantedJob, { params: { cid: room, tid: task } })
  const newerTaskVersion = await publish(await write())
  const draft = await write()
  return {
    task,
    taskVersion,
    newerTaskVersion,
    draft,
    share: String(share.id),
    binding: String(enabled.binding_id),
  }
}

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

async function makeRuns(
  ground: Ground,
  made: Place & { task: string; taskVersion: string; share: string; environmentVersion: string },
) {
  const { db, storage } = ground
  const pins = {
    companyId: made.companyId,
    taskId: made.task,
    versionId: made.taskVersion,
    environmentVersionId: made.environmentVersion,
    shareGrantId: made.share,
  }
  const queuedRun = await makeRun(db, pins, { chatroom_id: made.room })
  const ended = { state: 'completed', exit_code: 0, terminal_at: new Date() }
  const run = await makeRun(db, pins, { chatroom_id: made.room, ...ended })
  const text = 'bytes'
  const stored = { bytes: text.length, digest: sha256(text) }
  for (const name of ['output', 'log', 'bundle']) await storage.put(`runs/${run}/${name}`, Buffer.from(text))
  await db
    .insertInto('run_contents')
    .values({
      run_id: run,
      company_id: made.companyId,
      output_key: `runs/${run}/output`,
      output_bytes: stored.bytes,
      output_digest: stored.digest,
      log_key: `runs/${run}/log`,
      log_bytes: stored.bytes,
      log_digest: stored.digest,
      bundle_key: `runs/${run}/bundle`,
      bundle_bytes: stored.bytes,
    })
    .execute()
  const artifact = newId('artifact')
  await db
    .insertInto('run_artifacts')
    .values({
      id: artifact,
      run_id: run,
      company_id: made.companyId,
      relative_path: 'report.txt',
      path_hash: sha256('report.txt'),
      bundle_offset: 0,
      byte_size: stored.bytes,
      digest: stored.digest,
      declared_content_type: 'text/plain',
    })
    .execute()
  const link = await ground.must(made.manager, allRoutes.mintLogLink, {
    params: { cid: made.room, rid: run },
  })
  return { run, queuedRun, artifact, publicToken: String(link.token) }
}
