import { createHash } from 'node:crypto'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import type { EncryptedValue } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Principal } from '../../server/access/principal.ts'
import { newId, newUuid } from '../../server/base/ids.ts'
import { buildLogKey } from '../../server/builds/logs/build-log-store.ts'
import type { Database } from '../../server/db/database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeRun } from '../../testing/factories/runs.ts'
import { makeFinding, recordFindings, storeReport } from '../../testing/factories/scanned-build.ts'
import { makeSignedImage } from '../../testing/factories/signed-image.ts'
import { addMember, makeDepartment, makeRoom, makeUser } from '../../testing/factories/tenant.ts'
import { makeFiles } from './seed-files.ts'
import type { SeedTools } from './seed-tools.ts'

/** The seed of one company: one object of each kind, by the names that `idsFor` and the expectations use. */
export interface Seed {
  companyId: string
  people: {
    /** Member of the room that all requests use. */
    member: Principal
    /** Member of that room, flagged as its manager. */
    roomManager: Principal
    /** Member of another room, in another department. */
    outsider: Principal
    /** Manages the department of the room. */
    manager: Principal
    /** Manages the other department. */
    otherManager: Principal
    companyManager: Principal
    auditor: Principal
    administrator: Principal
  }
  otherRoom: string
  /** A value as clients send it to this service. */
  envelope: EncryptedValue
  /** Of `newerTaskVersion`. */
  versionDigest: string
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
  'secret',
  'secretApproval',
  'run',
  'queuedRun',
  'artifact',
  'inputFile',
  'session',
  'publicToken',
  'socialClient',
  'toolName',
  'proposal',
  'notification',
  'webhook',
  'delivery',
  'door',
  'link',
  'shareToken',
  'sharedObject',
  'mediaToken',
  'mediaName',
  'table',
  'row',
  'command',
  'trigger',
  'callbackToken',
] as const
export type Example = (typeof examples)[number]

/** The password of every user. */
export const examplePassword = 'correct horse battery'

/** Creates a company with one object of every kind that has an id. */
export async function makeSeed(tools: SeedTools): Promise<Seed> {
  const { db } = tools
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
    roomManager: await person(1),
    outsider: await person(1),
    manager: await person(2, [department]),
    otherManager: await person(2, [otherDepartment]),
    companyManager: await person(3),
    auditor: await person(0),
    administrator: await person(4),
  }
  await db
    .updateTable('users')
    .set({ password_hash: tools.passwordHash })
    .where('company_id', '=', companyId)
    .execute()
  await addMember(db, { companyId, roomId: room, userId: people.member.principalId })
  await addMember(db, { companyId, roomId: room, userId: people.roomManager.principalId, roomManager: true })
  await addMember(db, { companyId, roomId: room, userId: people.auditor.principalId, roomManager: true })
  await addMember(db, { companyId, roomId: otherRoom, userId: people.outsider.principalId })
  const key = await tools.sendOk(people.administrator, allRoutes.createApiKey, {
    body: { name: 'key', scope: 'full' },
  })
  const scope = { companyId, department, room, manager: people.manager }
  const built = await makeEnvironment(tools, scope)
  const offered = await makeTask(tools, scope, built.readyVersion)
  const used = await makeRuns(tools, { ...scope, ...offered, environmentVersion: built.readyVersion })
  const { ids: supplied, ...secrets } = await makeSecrets(tools, { ...scope, ...offered })
  const apiKey = String(key.id)
  const client = await tools.sendOk(people.administrator, allRoutes.createSocialMediaClient, {
    params: { cid: room },
    body: { channel: 'whatsapp', client_id: 'W1' },
  })
  const files = await makeFiles(tools, { room, person: people.member })
  const proposal = await makeProposal(db, { companyId, room, person: people.member, ...offered })
  const notification = await makeNotification(db, { companyId, userId: people.member.principalId })
  const hooks = await makeWebhook(tools, people.companyManager)
  const agents = { socialClient: String(client.id), toolName: 'sandbox_job_menu', proposal, notification }
  const sent = { ...files, ...(await makeTables(tools, { ...scope, ...offered })) }
  const user = people.member.principalId
  const ids = {
    room,
    department,
    user,
    apiKey,
    ...built,
    ...offered,
    ...supplied,
    ...used,
    ...agents,
    ...sent,
    ...hooks,
    door: await makeDoor(tools, { ...scope, environmentVersion: built.readyVersion }),
  }
  return { companyId, people, otherRoom, ...secrets, ids }
}

/** A job that waits for the confirmation of the person. */
async function makeProposal(
  db: Database,
  of: { companyId: string; room: string; person: Principal; task: string; taskVersion: string },
): Promise<string> {
  const id = newId('agentProposal')
  const input = Buffer.from('{}')
  await db
    .insertInto('agent_proposals')
    .values({
      id,
      company_id: of.companyId,
      chatroom_id: of.room,
      principal_type: 'user',
      principal_id: of.person.principalId,
      origin_sequence: 0,
      task_id: of.task,
      task_version_id: of.taskVersion,
      timeout_seconds: 60,
      input,
      input_digest: sha256(input.toString()),
      summary: 'Run the task "Report".',
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute()
  return id
}

async function makeNotification(db: Database, of: { companyId: string; userId: string }): Promise<string> {
  const id = newId('notification')
  await db
    .insertInto('notifications')
    .values({
      id,
      company_id: of.companyId,
      user_id: of.userId,
      source: 'seed',
      event: 'run_terminal',
      title: 'Report: completed',
      deep_link: '/console/runs',
      subject_type: 'runs',
      subject_id: null,
      chatroom_id: null,
      created_at: new Date(),
      read_at: null,
    })
    .execute()
  return id
}

async function makeDoor(
  { sendOk }: SeedTools,
  { room, manager, environmentVersion }: SeedScope & { environmentVersion: string },
): Promise<string> {
  const runtimes = [{ language: 'python', environment_version_id: environmentVersion }]
  const body = { name: 'Seed', kind: 'piston', runtimes }
  return String((await sendOk(manager, allRoutes.createDoor, { params: { cid: room }, body })).id)
}

/** A webhook with a delivery that waits. */
async function makeWebhook({ db, sendOk }: SeedTools, manager: Principal) {
  const hook = await sendOk(manager, allRoutes.createWebhook, { body: { url: 'https://example.org/seed' } })
  const webhook = String(hook.id)
  const delivery = newId('webhookDelivery')
  const at = new Date()
  await db
    .insertInto('webhook_deliveries')
    .values({
      id: delivery,
      company_id: manager.companyId,
      webhook_id: webhook,
      event_id: newId('notificationEvent'),
      event: 'run_terminal',
      body: '{}',
      lane: 'first',
      due_at: at,
      give_up_at: at,
      attempted_at: null,
      status: null,
      error: null,
      outcome: null,
    })
    .execute()
  return { webhook, delivery }
}

interface SeedScope {
  companyId: string
  department: string
  room: string
  manager: Principal
}

async function makeEnvironment(tools: SeedTools, scope: SeedScope) {
  const { db, sendOk } = tools
  const { companyId, department, manager } = scope
  const { id: readyVersion, environmentId: environment } = await makeEnvironmentVersion(db, { companyId })
  await db
    .updateTable('environments')
    .set({ owner_scope: 'department', owner_id: department })
    .where('id', '=', environment)
    .execute()
  const image = await makeSignedImage(tools, { versionId: readyVersion, layer: Buffer.from('layer') })
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: image.layerDigest, promoted_digest: image.promotedDigest })
    .where('id', '=', readyVersion)
    .execute()
  const params = { id: environment }
  const draft = { source_digest: `sha256:${'a'.repeat(64)}`, resource_profile: 'standard' }
  const version = await sendOk(manager, allRoutes.createEnvironmentVersion, { params, body: draft })
  const attempt = await sendOk(manager, allRoutes.createBuild, {
    params: { ...params, vid: String(version.id) },
  })
  await tools.storage.put(buildLogKey(String(attempt.id)), Buffer.from('STEP 1/1: FROM scratch'))
  const scanned = { companyId, environmentId: environment, versionId: String(version.id) }
  await storeReport(db, tools.storage, { ...scanned, attemptId: String(attempt.id) })
  const findings = await makeFindings(tools, { ...scope, ...scanned, current: readyVersion })
  const failed = await sendOk(manager, allRoutes.createEnvironmentVersion, { params, body: draft })
  await db
    .updateTable('environment_versions')
    .set({ state: 'retryable_failed', state_changed_at: new Date() })
    .where('id', '=', String(failed.id))
    .execute()
  const failedBuild = await makeFailedBuild(db, { companyId, versionId: String(failed.id) })
  const bytes = Buffer.from('archive')
  const body = { declared_bytes: bytes.length }
  const upload = await sendOk(manager, allRoutes.initContextUpload, { params, body })
  const received = await sendOk(manager, allRoutes.initContextUpload, { params, body })
  await sendOk(manager, allRoutes.putContextUpload, {
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

/** One finding without and one with an exception. */
async function makeFindings(
  { db, sendOk }: SeedTools,
  made: { companyId: string; environmentId: string; current: string; manager: Principal },
) {
  await recordFindings(db, { ...made, versionId: made.current }, [
    makeFinding('usr/bin/a'),
    makeFinding('usr/bin/b'),
  ])
  const params = { id: made.environmentId }
  const { items } = await sendOk(made.manager, allRoutes.listFindings, { params })
  const [finding = '', excepted = ''] = (items as { id: string }[]).map(({ id }) => id)
  const exception = await sendOk(made.manager, allRoutes.createException, {
    params: { ...params, fid: excepted },
    body: { reason: 'known' },
  })
  return { finding, exception: String(exception.id) }
}

async function makeTask(tools: SeedTools, scope: SeedScope, environmentVersion: string) {
  const { sendOk } = tools
  const { manager, department, room } = scope
  const owner = { owner_scope: 'department', owner_id: department }
  const task = String(
    (await sendOk(manager, allRoutes.createTask, { body: { name: 'Report', ...owner } })).id,
  )
  const params = { id: task }
  const body = { environment_version_id: environmentVersion, work_script: 'true' }
  const write = async () => String((await sendOk(manager, allRoutes.createTaskVersion, { params, body })).id)
  const publish = async (vid: string) => {
    await sendOk(manager, allRoutes.publishTaskVersion, { params: { ...params, vid } })
    return vid
  }
  const taskVersion = await publish(await write())
  const target = { target_kind: 'chatroom', target_id: room }
  const share = await sendOk(manager, allRoutes.createShare, { params, body: target })
  const enabled = await sendOk(manager, allRoutes.enableGrantedJob, { params: { cid: room, tid: task } })
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

async function makeSecrets(tools: SeedTools, made: SeedScope & { task: string; newerTaskVersion: string }) {
  const { sendOk } = tools
  const { manager, room, task, newerTaskVersion } = made
  const { public_key_pem } = await sendOk(manager, allRoutes.readPublicKey, {})
  const envelope = await encryptSecret({ public_key_pem: String(public_key_pem) }, 'an example')
  const consumer = { consumer_scope: 'chatroom', consumer_id: room, task_id: task }
  const secret = (await sendOk(manager, allRoutes.createSecret, {
    body: { ...consumer, slot_name: 'TOKEN', encrypted_value: envelope },
    headers: { 'idempotency-key': 'example' },
  })) as { binding: { id: string } }
  const params = { id: task, vid: newerTaskVersion }
  const versionDigest = String(
    (await sendOk(manager, allRoutes.readTaskVersion, { params })).canonical_digest,
  )
  const pinned = { task_version_id: newerTaskVersion, task_version_digest: versionDigest }
  const approval = await sendOk(manager, allRoutes.createSecretApproval, {
    body: { ...consumer, ...pinned, slot_names: ['TOKEN'], risk_accepted: true },
  })
  return { envelope, versionDigest, ids: { secret: secret.binding.id, secretApproval: String(approval.id) } }
}

/** A table with a row, a command and a trigger; the row belongs to the room. */
async function makeTables(
  { sendOk }: SeedTools,
  { companyId, department, room, manager, taskVersion }: SeedScope & { taskVersion: string },
) {
  const fields = [{ name: 'key', type: 'text', required: true }]
  const table = await sendOk(manager, allRoutes.createTable, {
    body: { name: 't', fields, owner_scope: 'department', owner_id: department, channel_rule: true },
  })
  const params = { id: String(table.id) }
  const row = await sendOk(manager, allRoutes.createRow, {
    params,
    body: { values: { key: '1' }, chatroom_id: room },
    headers: { 'idempotency-key': 'example' },
  })
  const granted = { granted_scope: 'company', granted_id: companyId }
  const command = await sendOk(manager, allRoutes.createTableCommand, {
    params,
    body: { name: 'c', inputs: fields, effect_identity: ['key'], ...granted },
  })
  const trigger = await sendOk(manager, allRoutes.createTableTrigger, {
    params,
    body: { name: 't', events: ['update'], chatroom_id: room, task_version_id: taskVersion },
  })
  return {
    table: params.id,
    row: String(row.id),
    command: String(command.id),
    trigger: String(trigger.id),
    callbackToken: newUuid(),
  }
}

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

async function makeRuns(
  tools: SeedTools,
  made: SeedScope & { task: string; taskVersion: string; share: string; environmentVersion: string },
) {
  const { db, storage } = tools
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
  const link = await tools.sendOk(made.manager, allRoutes.mintLogLink, {
    params: { cid: made.room, rid: run },
  })
  const params = { cid: made.room, rid: run }
  const signed = async (body: Record<string, string>) => {
    const { id, url } = await tools.sendOk(made.manager, allRoutes.createSignedLink, { params, body })
    return {
      id: String(id),
      token:
        String(url)
          .split('/')
          .at(body.purpose === 'share' ? -1 : -2) ?? '',
    }
  }
  const share = await signed({ purpose: 'share' })
  const media = await signed({ purpose: 'media', object_kind: 'artifact', artifact_id: artifact })
  return {
    run,
    queuedRun,
    artifact,
    publicToken: String(link.token),
    link: share.id,
    shareToken: share.token,
    sharedObject: 'output',
    mediaToken: media.token,
    mediaName: 'report.txt',
  }
}
