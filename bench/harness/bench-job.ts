import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Client, createClient } from '@sandbox-jobs/contract/client/client.ts'
import { uploadCapabilityHeader } from '@sandbox-jobs/contract/resources/context-upload.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { BenchService } from './service.ts'

const run = promisify(execFile)

/** A published job, enabled in a room, and who may run it. */
export interface BenchJob {
  client: Client
  apiKey: string
  chatroomId: string
  taskVersionId: string
}

const companyFile = `
companies:
  - name: bench
    users:
      - { login: bench, role: company_administrator }
    departments:
      - name: bench
        rooms:
          - { name: bench, members: [bench] }
    api_keys:
      - { name: bench, owner: bench, scope: full }
`

/** The least image there is: no shell, no library, one file. */
const context = { Dockerfile: 'FROM scratch\nCOPY motd /motd\n', motd: 'nothing to do\n' }

/** Does nothing. */
export const noOp = 'true\n'

/** Makes a job of that work script as a tenant would: upload, build, task, share, enable. */
export async function makeJob(service: BenchService, workScript: string): Promise<BenchJob> {
  const { bench: apiKey } = await service.apply(companyFile)
  if (apiKey === undefined) throw new Error('the company file made no key')
  const client = createClient({ baseUrl: service.baseUrl, apiKey })
  const { company_id: companyId } = await client.call(allRoutes.readMe)
  const environmentVersionId = await buildEnvironment(client)
  const task = await client.call(allRoutes.createTask, {
    body: { name: 'bench', owner_scope: 'company', owner_id: companyId },
  })
  const draft = await client.call(allRoutes.createTaskVersion, {
    params: { id: task.id },
    body: { environment_version_id: environmentVersionId, startup_script: noOp, work_script: workScript },
  })
  await client.call(allRoutes.publishTaskVersion, { params: { id: task.id, vid: draft.id } })
  const chatroomId = await roomOf(client)
  await client.call(allRoutes.createShare, {
    params: { id: task.id },
    body: { target_kind: 'chatroom', target_id: chatroomId },
  })
  await client.call(allRoutes.enableGrantedJob, { params: { cid: chatroomId, tid: task.id } })
  return { client, apiKey, chatroomId, taskVersionId: draft.id }
}

async function roomOf(client: Client): Promise<string> {
  const rooms = await client.call(allRoutes.listChatrooms)
  const [room] = rooms.items
  if (!room) throw new Error('the company has no room')
  return room.id
}

const buildPollMs = 200

async function buildEnvironment(client: Client): Promise<string> {
  const { id } = await client.call(allRoutes.createEnvironment, { body: { name: 'scratch' } })
  const ownedObjectId = await uploadContext(client, id)
  const { id: vid } = await client.call(allRoutes.createEnvironmentVersion, {
    params: { id },
    body: { owned_object_id: ownedObjectId, resource_profile: 'standard' },
  })
  const { id: aid } = await client.call(allRoutes.createBuild, { params: { id, vid } })
  for (;;) {
    const attempt = await client.call(allRoutes.readBuild, { params: { id, vid, aid } })
    if (attempt.terminal_class === 'completed') return vid
    if (attempt.terminal_class !== '') {
      throw new Error(`the build ended as ${attempt.error_code}: ${attempt.error_detail}`)
    }
    await sleep(buildPollMs)
  }
}

async function uploadContext(client: Client, id: string): Promise<string> {
  const archive = await packed()
  const opened = await client.call(allRoutes.initContextUpload, {
    params: { id },
    body: { declared_bytes: archive.length, archive_format: 'tar' },
  })
  const params = { id, sid: opened.upload_session_id }
  await client.call(allRoutes.putContextUpload, {
    params,
    upload: new Uint8Array(archive),
    headers: { [uploadCapabilityHeader]: opened.capability_token, 'content-length': String(archive.length) },
  })
  const complete = await client.call(allRoutes.completeContextUpload, { params })
  return complete.owned_object_id
}

async function packed(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-context-'))
  try {
    for (const [name, content] of Object.entries(context)) await writeFile(join(folder, name), content)
    const names = Object.keys(context)
    const { stdout } = await run('tar', ['-c', '-f', '-', '-C', folder, ...names], { encoding: 'buffer' })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
