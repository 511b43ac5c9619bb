import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { processIds, type Search } from '../search.ts'

const coreBytesMax = 1
/** Roles that have secrets of runs in their memory. */
const roles = /\/(api|worker|agent)\.mjs\0/

export interface ServiceProcesses {
  /** Processes inside of sandboxes: the jobs' own. */
  jobs: number[]
  /** The processes that have started since, without these. */
  others: number[]
}

/** The processes that have started since `earlier` was read. */
export async function processesSince(earlier: ReadonlySet<number>): Promise<ServiceProcesses> {
  const ours = await namespaceOf(process.pid)
  const found: ServiceProcesses = { jobs: [], others: [] }
  for (const pid of await processIds()) {
    if (earlier.has(pid)) continue
    const namespace = await namespaceOf(pid)
    if (namespace !== '') (namespace === ours ? found.others : found.jobs).push(pid)
  }
  return found
}

/** Its words with a zero byte between them; empty if the process has ended. */
export const commandOf = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replace(/\0$/, '')

/** Empty if the process has ended. */
const namespaceOf = (pid: number): Promise<string> => readlink(`/proc/${pid}/ns/pid`).catch(() => '')

/**
 * The kernel writes no core file of a process with a limit of 1 or less (core(5)). Reports processes with a role that have
 * another limit, and searches the core files in their working folders.
 */
export async function searchCores(pids: readonly number[], search: Search): Promise<string[]> {
  const found: string[] = []
  for (const pid of pids) {
    const role = roles.exec(`${await commandOf(pid)}\0`)?.[1]
    const limits = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '')
    const soft = /^Max core file size\s+(\S+)/m.exec(limits)?.[1]
    if (role && soft !== undefined && !(Number(soft) <= coreBytesMax))
      found.push(`a core limit of ${soft} of the process ${role}`)
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    for (const name of folder ? await readdir(folder).catch(() => []) : [])
      if (/^core(\.\d+)?$/.test(name)) found.push(...(await search.file(join(folder, name))))
  }
  return found
}
