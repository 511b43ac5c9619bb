import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childOf, type OwnService } from '../main-job/service.ts'
import { withDatabase } from './history.ts'
import { fill, freezeObjects } from './small-disks.ts'

/** Something that befalls a service and passes; nothing may be lost by it. */
export interface Trouble {
  name: string
  lastsMs: number
  /** The `error_code` that it may cost a run. */
  costs?: string
  /** Begins it; what is answered ends it. */
  begin: (service: OwnService) => Promise<() => Promise<void>>
}

const cuts = 20
const betweenCutsMs = 100

export const troubles: Trouble[] = [
  {
    name: 'the disk of the database is full',
    lastsMs: 3000,
    begin: ({ dataDir }) => fill(dataDir, 'postgres'),
  },
  {
    name: 'the disk of the objects is full',
    lastsMs: 3000,
    begin: ({ dataDir }) => fill(dataDir, 'objects'),
  },
  {
    name: 'the disk of the sandboxes is full',
    lastsMs: 3000,
    // What ends meanwhile has no room for its results.
    costs: 'storage_lost',
    begin: ({ dataDir }) => fill(dataDir, 'agent/sandboxes'),
  },
  {
    name: 'the disk of the objects stands still',
    lastsMs: 3000,
    begin: ({ dataDir }) => freezeObjects(dataDir),
  },
  {
    name: 'Postgres stands still',
    lastsMs: 3000,
    begin: async ({ dataDir }) => freeze(await postgresProcesses(dataDir)),
  },
  { name: 'the worker stands still', lastsMs: 2000, begin: (service) => freezeRole(service, 'worker') },
  { name: 'the agent stands still', lastsMs: 2000, begin: (service) => freezeRole(service, 'agent') },
  { name: 'the api stands still', lastsMs: 2000, begin: (service) => freezeRole(service, 'api') },
  { name: 'connections to the database are cut again and again', lastsMs: 0, begin: cutConnections },
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

/** The postmaster first: it makes no more of them. */
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
