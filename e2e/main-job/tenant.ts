import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@sandbox-jobs/contract/client/client.ts'
import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import { uploadCapabilityHeader } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { BundleUpload } from '@sandbox-jobs/contract/resources/tasks/task-upload.ts'
import type { TaskVersionCreateRequest } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { packContext } from '../../cli/push/pack-context.ts'
import { readWithRetry } from '../../cli/session/read-with-retry.ts'
import { checkout, type Service } from './service.ts'

const pollMs = 100

/** An author and a room of the example company, over HTTP only. */
export interface Tenant {
  client: Client
  publicClient: Client
  companyId: string
  room: string
  baseUrl: string
  token: string
}

export async function logIn({ url, user, password }: Service): Promise<Tenant> {
  const publicClient = createClient({ baseUrl: url })
  const token = await publicClient.call(allRoutes.createToken, { body: { username: user, password } })
  const client = createClient({ baseUrl: url, token: token.access_token })
  const { company_id } = await client.call(allRoutes.readMe)
  const rooms = await client.call(allRoutes.listChatrooms, { query: { page_size: 100 } })
  const room = rooms.items.find(({ name }) => name === 'daily-numbers')
  if (!room) throw new Error('the company has no room daily-numbers: apply examples/company.yaml')
  return {
    client,
    publicClient,
    companyId: company_id,
    room: room.id,
    baseUrl: url,
    token: token.access_token,
  }
}

/** Uploads a folder and builds a version of a new environment from it. */
export async function build(
  { client }: Tenant,
  folder: string,
  name = `e2e-${randomUUID()}`,
): Promise<{ vid: string; attempt: BuildAttempt }> {
  const packed = await packContext(folder)
  try {
    const { id } = await client.call(allRoutes.createEnvironment, { body: { name } })
    const opened = await client.call(allRoutes.initContextUpload, {
      params: { id },
      body: { declared_bytes: packed.byteSize, archive_format: 'tar.gz' },
    })
    const params = { id, sid: opened.upload_session_id }
    await client.call(allRoutes.putContextUpload, {
      params,
      upload: new Uint8Array(await readFile(packed.path)),
      headers: { [uploadCapabilityHeader]: opened.capability_token },
    })
    const object = await client.call(allRoutes.completeContextUpload, {
      params,
      body: { expected_size: packed.byteSize, expected_digest: packed.digest },
    })
    const version = await client.call(allRoutes.createEnvironmentVersion, {
      params: { id },
      body: { owned_object_id: object.owned_object_id, resource_profile: 'standard' },
    })
    const queued = await client.call(allRoutes.createBuild, { params: { id, vid: version.id } })
    const build = { id, vid: version.id, aid: queued.id }
    return { vid: version.id, attempt: await builtAttempt(client, build) }
  } finally {
    await packed.remove()
  }
}

async function builtAttempt(
  client: Client,
  params: { id: string; vid: string; aid: string },
): Promise<BuildAttempt> {
  for (;;) {
    const attempt = await client.call(allRoutes.readBuild, { params })
    if (attempt.terminal_class !== '') return attempt
    await sleep(pollMs)
  }
}

export interface TaskPlan {
  name?: string
  environmentVersion: string
  workScript: string
  inputSchema?: string
  timeoutSeconds?: number
  /** Further fields of the version. */
  draft?: Partial<TaskVersionCreateRequest>
  /** Files of the version, as tar.gz. */
  bundle?: Buffer
  /** Absent: the company. */
  owner?: { owner_scope: 'department'; owner_id: string }
}

/** Publishes a task, shares it with the room and enables it there. Returns the version to run. */
export async function publish(tenant: Tenant, plan: TaskPlan): Promise<string> {
  const { client, companyId, room } = tenant
  const { id } = await client.call(allRoutes.createTask, {
    body: {
      name: plan.name ?? `e2e-${randomUUID()}`,
      ...(plan.owner ?? { owner_scope: 'company', owner_id: companyId }),
    },
  })
  const draft = await client.call(allRoutes.createTaskVersion, {
    params: { id },
    body: {
      environment_version_id: plan.environmentVersion,
      work_script: plan.workScript,
      timeout_seconds: plan.timeoutSeconds ?? 60,
      input_schema: plan.inputSchema ?? null,
      ...(plan.bundle && { bundle_id: await uploadBundle(tenant, id, plan.bundle) }),
      ...plan.draft,
    },
  })
  const params = { id, vid: draft.id }
  const version = await client.call(allRoutes.publishTaskVersion, { params })
  const body = { target_kind: 'chatroom', target_id: room } as const
  await client.call(allRoutes.createShare, { params: { id }, body })
  await client.call(allRoutes.enableGrantedJob, { params: { cid: room, tid: id } })
  return version.id
}

async function uploadBundle({ baseUrl, token }: Tenant, taskId: string, bytes: Buffer): Promise<string> {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(bytes)]), 'files.tar.gz')
  const path = allRoutes.uploadBundle.path.replace('{id}', taskId)
  const answer = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  if (!answer.ok) throw new Error(`the bundle was refused: ${await answer.text()}`)
  return ((await answer.json()) as BundleUpload).id
}

export const submit = ({ client, room }: Tenant, taskVersion: string, input: unknown): Promise<RunDetail> =>
  client.call(allRoutes.submitRun, {
    params: { cid: room },
    body: { task_version_id: taskVersion, input },
    idempotencyKey: randomUUID(),
  })

/** Polls the run until `isSo`; tolerates an unavailable service. */
export async function runWhen(
  { client, room }: Tenant,
  rid: string,
  isSo: (run: RunDetail) => boolean,
): Promise<RunDetail> {
  for (;;) {
    const read = () => client.call(allRoutes.readRun, { params: { cid: room, rid } })
    const run = await readWithRetry(read, () => undefined)
    if (isSo(run)) return run
    if (run.terminal_at !== null) throw new Error(`${rid} has ended: ${JSON.stringify(run)}`)
    await sleep(pollMs)
  }
}

export const ended = (run: RunDetail): boolean => run.terminal_at !== null

export const logOf = async ({ client, room }: Tenant, rid: string): Promise<string> =>
  (await client.call(allRoutes.readRunLog, { params: { cid: room, rid } })).text()

export const outputOf = async ({ client, room }: Tenant, rid: string): Promise<string> =>
  (await client.call(allRoutes.readRunOutput, { params: { cid: room, rid } })).text()

/** Artifacts by path. */
export async function artifactsOf({ client, room }: Tenant, rid: string): Promise<Record<string, string>> {
  const { items } = await client.call(allRoutes.listRunArtifacts, { params: { cid: room, rid } })
  const texts: Record<string, string> = {}
  for (const { id, relative_path } of items) {
    const params = { cid: room, rid, aid: id }
    texts[relative_path] = await (await client.call(allRoutes.readRunArtifact, { params })).text()
  }
  return texts
}

export const exampleFile = (name: string): Promise<string> =>
  readFile(join(checkout, 'examples/sales-report', name), 'utf8')
