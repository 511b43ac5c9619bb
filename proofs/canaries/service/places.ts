import { stagingFolder } from '../../../agent/host/paths.ts'
import type { OwnService } from '../../../e2e/main-job/service.ts'
import { machineFolders } from '../machine.ts'
import type { Search } from '../search.ts'
import { asSuperuser, flush, searchRows } from './database.ts'
import { commandOf, processesSince, searchCores } from './processes.ts'

export interface Places {
  service: OwnService
  /** Folder with the output of the service. */
  logs: string
  /** Processes that were there before the service. */
  earlierProcesses: ReadonlySet<number>
  /** Before the first canary, in milliseconds since 1970: older files have none. */
  sinceMs: number
}

/**
 * Searches a running service: rows, the files of the cluster with its write-ahead log, everything else in the data folder, the
 * state of the runtime, its output, and its processes.
 */
export async function searchPlaces({ service, logs, earlierProcesses, sinceMs }: Places, search: Search) {
  const { dataDir } = service
  const found = await asSuperuser(dataDir, async (client) => {
    await flush(client)
    return searchRows(client, search)
  })
  found.push(...(await search.below(dataDir, sinceMs)), ...(await searchAfter({ logs, sinceMs }, search)))
  const { others } = await processesSince(earlierProcesses)
  for (const pid of others) found.push(...(await search.process(pid)))
  found.push(...(await searchCores(others, search)))
  for (const pid of await shimsOf(dataDir, others))
    found.push(...(await search.below(`/proc/${pid}/root${stagingFolder}`)))
  return found
}

/** Searches outside of the service's data folder; also the last search, for residue of the service after its end. */
export async function searchAfter({ logs, sinceMs }: Pick<Places, 'logs' | 'sinceMs'>, search: Search) {
  const found: string[] = []
  for (const folder of [logs, '/run']) found.push(...(await search.below(folder, sinceMs)))
  for (const folder of machineFolders) found.push(...(await search.belowShared(folder, sinceMs)))
  return found
}

/** Processes with the folder of a sandbox in their command line, which have the state of the runtime in a mount of their own. */
async function shimsOf(dataDir: string, pids: readonly number[]): Promise<number[]> {
  const shims: number[] = []
  for (const pid of pids) {
    if ((await commandOf(pid)).includes(`${dataDir}/agent/sandboxes/`)) shims.push(pid)
  }
  return shims
}
