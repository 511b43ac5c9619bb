import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childOf, type OwnService } from '../../main-job/service.ts'
import { withDatabase } from '../load/history.ts'
import { fill, freezeObjects } from './small-disks.ts'

/** A temporary failure of a service; nothing may be lost by it. */
export interface Disruption {
  name: string
  durationMs: number
  /** The `error_code` that it may cost a run. */
  allowedErrorCode?: string
  /** Starts the disruption; the returned function ends it. */
  start: (service: OwnService) => Promise<() => Promise<void>>
}

const cuts = 20
const betweenCutsMs = 100

export const disruptions: Disruption[] = [
  {
    name: 'the disk of the database is full',
    durationMs: 3000,
    start: ({ dataDir }) => fill(dataDir, 'postgres'),
  },
  {
    name: 'the disk of the objects is full',
    durationMs: 3000,
    start: ({ dataDir }) => fill(dataDir, 'objects'),
  },
  {
    name: 'the disk of the sandboxes is full',
    durationMs: 3000,
    // Runs that end meanwhile cannot store their results.
    allowedErrorCode: 'storage_lost',
    start: ({ dataDir }) => fill(dataDir, 'agent/sandboxes'),
  },
  {
    name: 'the disk of the objects is frozen',
    durationMs: 3000,
    start: ({ dataDir }) => freezeObjects(dataDir),
  },
  {
    name: 'Postgres is stopped',
    durationMs: 3000,
    start: async ({ dataDir }) => freeze(await postgresProcesses(dataDir)),
  },
  { name: 'the worker is stopped', durationMs: 2000, start: (service) => freezeRole(service, 'worker') },
  { name: 'the agent is stopped', durationMs: 2000, start: (service) => freezeRole(service, 'agent') },
  { name: 'the api is stopped', durationMs: 2000, start: (service) => freezeRole(service, 'api') },
  { name: 'connections to the database are cut again and again', durationMs: 0, start: cutConnections },
]

async function freezeRole(
  service: OwnService,
  role: 'worker' | 'agent' | 'api',
): Promise<() => Promise<void>> {
  const pid = await childOf(service.pid, role)
  if (pid === undefined) throw new Error(`no process runs the role ${role}`)
  return freeze([pid])
}

async function freeze(pids: number[]): Promise<() => Promise<void>> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return async () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

/** Stops the postmaster first, so that it starts no more children. */
async function postgresProcesses(dataDir: string): Promise<number[]> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8')
  const postmaster = Number(file.split('\n')[0])
  process.kill(postmaster, 'SIGSTOP')
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  return [postmaster, ...children.split(' ').map(Number).filter(Boolean)]
}

async function cutConnections({ dataDir }: OwnService): Promise<() => Promise<void>> {
  await withDatabase(dataDir, async (database) => {
    for (let cut = 0; cut < cuts; cut += 1) {
      await database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
      )
      await sleep(betweenCutsMs)
    }
  })
  return async () => undefined
}
