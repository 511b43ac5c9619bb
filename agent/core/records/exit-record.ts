import { closeSync, fsync, openSync, readFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ServiceTraffic } from '../../network/service-traffic.ts'
import { isClosed } from '../../port/allow-list.ts'
import type { CollectedFileStatus, CollectedFolder, SandboxExit } from '../../port/sandbox-exit.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import { treeFilesOf } from '../../port/tree-index.ts'
import { mayExist, recordIn } from './record-file.ts'

/** The record as the shim writes it: numbers and slugs; -1 means none. */
interface ShimRecord
  extends Omit<SandboxExit, 'startedAt' | 'endedAt' | 'network' | 'log' | 'files' | 'tree' | 'folder'> {
  exitCode: number
  signal: number
  startedAtMs: number
  endedAtMs: number
  ingressBytes: number
  egressBytes: number
  logTotalBytes: number
  logKeptBytes: number
  files: { status: CollectedFileStatus; byteSize: number }[]
  tree: CollectedRecord
  folder: CollectedRecord
}

interface CollectedRecord {
  status: 'collected' | 'absent' | 'rejected'
  reason: string
  /** Hexadecimal digits. */
  path: string
}

const nothingCollected: CollectedRecord = { status: 'absent', reason: '', path: '' }

const recordFile = 'exit.json'

/**
 * The exit record of the sandbox in `folder`; undefined if there is none yet, or a truncated one. Read synchronously: it is usually
 * still in the page cache. Throws if it cannot be read: it is not replaced by another one then.
 */
export function readExit(folder: string, spec: SandboxSpec): SandboxExit | undefined {
  const record = recordIn<ShimRecord>(join(folder, recordFile))
  if (!record) return undefined
  const { startedAtMs, endedAtMs, ingressBytes, egressBytes, ...rest } = record
  const { logTotalBytes, logKeptBytes, files, tree, folder: kept, ...plain } = rest
  const orNull = (value: number) => (value < 0 ? null : value)
  return {
    ...plain,
    exitCode: orNull(record.exitCode),
    signal: orNull(record.signal),
    startedAt: startedAtMs > 0 ? new Date(startedAtMs).toISOString() : null,
    endedAt: new Date(endedAtMs).toISOString(),
    network: networkOf(folder, spec, { ingressBytes, egressBytes }),
    log: { totalBytes: logTotalBytes, keptBytes: logKeptBytes },
    files: Object.fromEntries(
      spec.collect.files.map((file, at) => [file.name, files[at] ?? { status: 'absent', byteSize: 0 }]),
    ),
    tree: spec.collect.tree ? treeOf(folder, tree) : null,
    folder: spec.collect.folder ? collectedOf(kept) : null,
  }
}

/** Traffic with the service is not the job's. */
function networkOf(
  folder: string,
  spec: SandboxSpec,
  { ingressBytes, egressBytes }: Pick<ShimRecord, 'ingressBytes' | 'egressBytes'>,
): SandboxExit['network'] {
  const { service, ...records }: NetworkRecords = spec.network === 'none' ? {} : readRecords(folder)
  if (isForCallbacks(spec)) return { ingressBytes: 0, egressBytes: 0, ...records }
  return {
    ingressBytes: Math.max(0, ingressBytes - (service?.ingressBytes ?? 0)),
    egressBytes: Math.max(0, egressBytes - (service?.egressBytes ?? 0)),
    ...records,
  }
}

/** A link that leads to the service alone carries the service's own traffic. */
const isForCallbacks = ({ network }: SandboxSpec): boolean =>
  network !== 'none' && network.service === true && isClosed(network.allow)

const treeOf = (folder: string, tree: CollectedRecord): SandboxExit['tree'] => ({
  ...collectedOf(tree),
  files: tree.status === 'collected' ? treeFilesOf(readFileSync(join(folder, 'tree.index'))) : [],
})

const collectedOf = ({ status, reason, path }: CollectedRecord): CollectedFolder => ({
  status,
  reason,
  ...(path && { path: Buffer.from(path, 'hex').toString('latin1') }),
})

/** True if the shim ended because no start signal came: nothing was started, and nothing will be. */
export const neverReleased = ({ cause, detail }: SandboxExit): boolean =>
  cause === 'start_failed' && detail === 'agent_gone'

/** False only if the shim did not get as far as to take a start signal. */
export const hasRecordFile = (folder: string): boolean => mayExist(join(folder, recordFile))

const recordsFile = 'refusals.json'

/** Records of resolver and router of a sandbox. */
export type NetworkRecords = Pick<SandboxExit['network'], 'refused' | 'reached'> & {
  service?: ServiceTraffic
}

/** Stores what the sandbox in `folder` was refused, reached and exchanged with the service, for `readExit`. */
export async function writeRecords(folder: string, records: NetworkRecords): Promise<void> {
  await writeFile(join(folder, recordsFile), JSON.stringify(records), { mode: 0o600 })
}

/** A truncated or missing file counts as none. */
function readRecords(folder: string): NetworkRecords {
  try {
    return JSON.parse(readFileSync(join(folder, recordsFile), 'utf8')) as NetworkRecords
  } catch {
    return {}
  }
}

/** Values that can still be measured of a sandbox whose shim died. */
export interface PostMortem {
  now: Date
  peakMemoryBytes: number
  cpuMs: number
  log: SandboxExit['log']
}

/** Writes the exit record of a sandbox whose shim died without writing one. `detail` is the slug `keeper`, which clients see. */
export async function writeLostRecord(folder: string, postMortem: PostMortem): Promise<void> {
  const record: ShimRecord = {
    cause: 'lost',
    exitCode: -1,
    signal: -1,
    detail: 'keeper',
    startedAtMs: 0,
    endedAtMs: postMortem.now.getTime(),
    oomKills: 0,
    pidsLimitHits: 0,
    workspaceFull: false,
    sharedMemoryFull: false,
    peakMemoryBytes: postMortem.peakMemoryBytes,
    cpuMs: Math.round(postMortem.cpuMs),
    ingressBytes: 0,
    egressBytes: 0,
    logTotalBytes: postMortem.log.totalBytes,
    logKeptBytes: postMortem.log.keptBytes,
    files: [],
    tree: nothingCollected,
    folder: nothingCollected,
  }
  const file = await open(join(folder, 'exit.tmp'), 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(record)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(join(folder, 'exit.tmp'), join(folder, recordFile))
  await syncPath(folder)
}

/** Flushes a file's bytes, or a folder's names, to disk. */
export async function syncPath(path: string): Promise<void> {
  const file = openSync(path, 'r')
  try {
    await flushed(file)
  } finally {
    closeSync(file)
  }
}

/** Resolves when the bytes written to the open file are on disk. */
const flushed = promisify(fsync)
