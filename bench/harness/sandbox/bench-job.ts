import { type Client, createClient } from '@sandbox-jobs/contract/client/client.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { Author } from '../service/author.ts'
import type { BenchService } from '../service/service.ts'

/** A published job that is enabled in a room, and who may run it. */
export interface BenchJob {
  client: Client
  apiKey: string
  chatroomId: string
  environmentVersionId: string
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

/** A minimal image: no shell, no library, one file. */
const context = { Dockerfile: 'FROM scratch\nCOPY motd /motd\n', motd: 'nothing to do\n' }

const buildPollMs = 200

/** Does nothing. */
export const noOp = 'true\n'

/** Makes a job of that work script as a tenant would: upload, build, task, share, enable. */
export async function makeJob(service: BenchService, workScript: string): Promise<BenchJob> {
  const { bench: apiKey } = await service.apply(companyFile)
  if (apiKey === undefined) throw new Error('applying the company file made no key')
  const client = createClient({ baseUrl: service.baseUrl, apiKey })
  const author = await Author.with(client)
  const { versionId } = await author.build(await author.upload(context), { pollMs: buildPollMs })
  const place = { chatroomId: await roomOf(client), environmentVersionId: versionId }
  const { id: taskVersionId } = await publishJob(client, { ...place, workScript })
  return { client, apiKey, taskVersionId, ...place }
}

interface JobPlan {
  chatroomId: string
  environmentVersionId: string
  workScript: string
  /** Names of its secrets. */
  slots?: readonly string[]
}

/** Publishes a task of the company and enables it in the room. */
export async function publishJob(client: Client, plan: JobPlan): Promise<TaskVersion> {
  const { company_id: companyId } = await client.call(allRoutes.readMe)
  const task = await client.call(allRoutes.createTask, {
    body: { name: 'bench', owner_scope: 'company', owner_id: companyId },
  })
  const draft = await client.call(allRoutes.createTaskVersion, {
    params: { id: task.id },
    body: {
      environment_version_id: plan.environmentVersionId,
      startup_script: noOp,
      work_script: plan.workScript,
      secret_slot_declarations: (plan.slots ?? []).map((name) => ({ name })),
    },
  })
  const params = { id: task.id, vid: draft.id }
  const version = await client.call(allRoutes.publishTaskVersion, { params })
  await client.call(allRoutes.createShare, {
    params: { id: task.id },
    body: { target_kind: 'chatroom', target_id: plan.chatroomId },
  })
  await client.call(allRoutes.enableGrantedJob, { params: { cid: plan.chatroomId, tid: task.id } })
  return version
}

async function roomOf(client: Client): Promise<string> {
  const rooms = await client.call(allRoutes.listChatrooms)
  const [room] = rooms.items
  if (!room) throw new Error('the company has no room')
  return room.id
}
