import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { triggersOfTableMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Applied, OwnService } from '../main-job/service.ts'
import { build, ended, logIn, publish, runWhen, submit, type Tenant } from '../main-job/tenant.ts'
import { doorToFullSessions } from './session-files.ts'

/** Scripts of the hostile company's tasks, by the resource that their runs take. */
export const scripts = {
  places: 'sleep 600\n',
  processor: 'while :; do :; done\n',
  memory: 'dd if=/dev/zero of=/workspace/filled bs=1M\nsleep 600\n',
  disk: 'yes taken | head -c 60000000\nhead -c 16000000 /dev/zero >"$SERVICE_OUTPUT_FILE"\nhead -c 100000000 /dev/zero >"$SERVICE_ARTIFACTS_DIR/a"\n',
  names:
    'count=0\nwhile :; do count=$((count + 1)); nslookup "$count.example.com" >/dev/null 2>&1 & [ $((count % 50)) != 0 ] || wait; done\n',
  noted: 'true\n',
  followed: 'while :; do echo a line; sleep 0.01; done\n',
} as const

export type HostileTask = keyof typeof scripts

/** Input of an attack; plain data, since attackers are separate processes. */
export interface Hostile {
  url: string
  token: string
  companyId: string
  room: string
  /** A known login of the quiet company. */
  victim: string
  versions: Record<HostileTask, string>
  /** A task version with an expensive input schema. */
  costly: { taskId: string; versionId: string }
  /** Path of a public link to a long log. */
  link: string
  /** An environment for builds. */
  environmentId: string
  /** A table with triggers. */
  table: string
  /** Key of a door whose users have full sessions. */
  door: string
}

const nothing = 'FROM scratch\nCOPY note /note\n'
/** Near the maximum timeout of a submission. */
export const longTimeoutSeconds = 604_000
/** Validation compares all pairs. */
const costlySchema = JSON.stringify({ type: 'array', uniqueItems: true })

/** The quiet company: one task that copies its input to its output. */
export async function makeQuiet(service: OwnService): Promise<{ tenant: Tenant; version: string }> {
  const tenant = await logIn(service)
  const environmentVersion = await builtImage(tenant)
  const workScript = 'cp "$SERVICE_INPUTS_FILE" "$SERVICE_OUTPUT_FILE"\n'
  return { tenant, version: await publish(tenant, { environmentVersion, workScript, timeoutSeconds: 60 }) }
}

export async function makeHostile(service: OwnService): Promise<Hostile> {
  const { passwords } = await service.sandbox<Applied>(
    'admin',
    'apply',
    resolve(import.meta.dirname, 'hostile.yaml'),
  )
  const password = passwords.find(({ login }) => login === 'mallory')?.password ?? ''
  const tenant = await logIn({ ...service, user: 'mallory', password })
  const environmentVersion = await builtImage(tenant)
  const versions = {} as Record<HostileTask, string>
  for (const [name, workScript] of Object.entries(scripts) as [HostileTask, string][]) {
    versions[name] = await publish(tenant, { environmentVersion, workScript, timeoutSeconds: 80_000 })
  }
  const { client } = tenant
  const { id: environmentId } = await client.call(allRoutes.createEnvironment, { body: { name: 'attacks' } })
  return {
    url: service.url,
    token: tenant.token,
    companyId: tenant.companyId,
    room: tenant.room,
    victim: service.user,
    versions,
    costly: await costlyTask(tenant, environmentVersion),
    link: await linkToLog(tenant, versions.disk),
    environmentId,
    table: await tableWithTriggers(tenant, versions.noted),
    door: await doorToFullSessions(tenant, environmentVersion),
  }
}

async function tableWithTriggers({ client, companyId, room }: Tenant, version: string): Promise<string> {
  const { id } = await client.call(allRoutes.createTable, {
    body: {
      name: 'changed often',
      owner_scope: 'company',
      owner_id: companyId,
      fields: [{ name: 'text', type: 'text' }],
    },
  })
  for (let at = 0; at < triggersOfTableMax; at += 1)
    await client.call(allRoutes.createTableTrigger, {
      params: { id },
      body: { name: `trigger ${at}`, events: ['create'], chatroom_id: room, task_version_id: version },
    })
  return id
}

async function linkToLog(tenant: Tenant, version: string): Promise<string> {
  const { id: rid } = await submit(tenant, version, {})
  await runWhen(tenant, rid, ended)
  const params = { cid: tenant.room, rid }
  return new URL((await tenant.client.call(allRoutes.mintLogLink, { params })).url).pathname
}

async function costlyTask(
  { client, companyId }: Tenant,
  environmentVersion: string,
): Promise<Hostile['costly']> {
  const { id } = await client.call(allRoutes.createTask, {
    body: { name: 'costly', owner_scope: 'company', owner_id: companyId },
  })
  const draft = await client.call(allRoutes.createTaskVersion, {
    params: { id },
    body: {
      environment_version_id: environmentVersion,
      work_script: 'true\n',
      timeout_seconds: 60,
      input_schema: costlySchema,
    },
  })
  return { taskId: id, versionId: draft.id }
}

async function builtImage(tenant: Tenant): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'neighbours-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), nothing)
    await writeFile(join(folder, 'note'), 'the platform brings a shell\n')
    const { vid, attempt } = await build(tenant, folder)
    if (attempt.status !== 'completed') throw new Error(`the image is not built: ${JSON.stringify(attempt)}`)
    return vid
  } finally {
    await rm(folder, { recursive: true })
  }
}
