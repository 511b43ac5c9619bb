import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type {
  CollectedFileStatus,
  CollectedFolder,
  CollectedTreeFile,
  SandboxCause,
  SandboxExit,
} from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'

/** The exit record of a collector: numbers and slugs; -1 means none. */
export interface PodExit {
  cause: SandboxCause
  exitCode: number
  signal: number
  detail: string
  startedAtMs: number
  endedAtMs: number
  oomKills: number
  pidsLimitHits: number
  peakMemoryBytes: number
  cpuMs: number
  workspaceFull: boolean
  sharedMemoryFull: boolean
  ingressBytes: number
  egressBytes: number
  logTotalBytes: number
  logKeptBytes: number
  files: { status: CollectedFileStatus; byteSize: number }[]
  tree: CollectedPart
  folder: CollectedPart
}

interface CollectedPart {
  status: 'collected' | 'absent' | 'rejected'
  reason: string
  /** Hexadecimal digits. */
  path: string
}

const causes: readonly unknown[] = [
  'exited',
  'signalled',
  'deadline',
  'stopped',
  'out_of_memory',
  'egress_cap',
  'start_failed',
  'lost',
] satisfies SandboxCause[]
const fileStatuses: readonly unknown[] = [
  'present',
  'absent',
  'too_large',
  'not_regular',
  'lost',
  'late',
] satisfies CollectedFileStatus[]
const partStatuses: readonly unknown[] = [
  'collected',
  'absent',
  'rejected',
] satisfies CollectedPart['status'][]
const slug = /^[a-z0-9_:.-]{0,100}$/
const pathDigits = /^(?:[0-9a-f]{2}){0,255}$/

/** Beyond it a time has no text, here or in the database. */
const countMax = 2 ** 43

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= countMax
const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= -1 && Number(value) <= 255
const isSlug = (value: unknown): value is string => typeof value === 'string' && slug.test(value)

/**
 * The exit record in these bytes; undefined if it has another form. A program that broke out of its sandbox under gVisor may have
 * written it: nothing of it is used without a check, and no field is kept that is not known.
 */
export function podExitOf(bytes: Buffer, { collect }: SandboxSpec): PodExit | undefined {
  const value = parsed(bytes)
  if (!isJsonObject(value)) return undefined
  const { cause, exitCode, signal, detail, workspaceFull, sharedMemoryFull } = value
  const files = filesOf(value.files)
  const [tree, folder] = [partOf(value.tree), partOf(value.folder)]
  if (!causes.includes(cause) || !isStatus(exitCode) || !isStatus(signal) || !isSlug(detail)) return undefined
  if (typeof workspaceFull !== 'boolean' || typeof sharedMemoryFull !== 'boolean') return undefined
  if (!tree || !folder || files?.length !== collect.files.length) return undefined
  const counts = Object.fromEntries(countNames.map((name) => [name, value[name]]))
  if (!Object.values(counts).every(isCount)) return undefined
  return {
    cause: cause as SandboxCause,
    ...{ exitCode, signal, detail, workspaceFull, sharedMemoryFull, files, tree, folder },
    ...(counts as Pick<PodExit, (typeof countNames)[number]>),
  }
}

const countNames = [
  'startedAtMs',
  'endedAtMs',
  'oomKills',
  'pidsLimitHits',
  'peakMemoryBytes',
  'cpuMs',
  'ingressBytes',
  'egressBytes',
  'logTotalBytes',
  'logKeptBytes',
] as const

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('latin1'))
  } catch {
    return undefined
  }
}

function filesOf(value: unknown): PodExit['files'] | undefined {
  if (!Array.isArray(value)) return undefined
  const files = value.flatMap((file) => {
    if (!isJsonObject(file) || !fileStatuses.includes(file.status) || !isCount(file.byteSize)) return []
    return [{ status: file.status as CollectedFileStatus, byteSize: file.byteSize }]
  })
  return files.length === value.length ? files : undefined
}

function partOf(value: unknown): CollectedPart | undefined {
  if (!isJsonObject(value)) return undefined
  const { status, reason, path } = value
  if (!partStatuses.includes(status) || !isSlug(reason) || typeof path !== 'string' || !pathDigits.test(path))
    return undefined
  return { status: status as CollectedPart['status'], reason, path }
}

/** Of a sandbox of which nothing is heard any more. */
export const lostExit = ({ collect }: SandboxSpec, detail: string, now: Date): PodExit => ({
  cause: 'lost',
  exitCode: -1,
  signal: -1,
  detail,
  startedAtMs: 0,
  endedAtMs: now.getTime(),
  oomKills: 0,
  pidsLimitHits: 0,
  peakMemoryBytes: 0,
  cpuMs: 0,
  workspaceFull: false,
  sharedMemoryFull: false,
  ingressBytes: 0,
  egressBytes: 0,
  logTotalBytes: 0,
  logKeptBytes: 0,
  files: collect.files.map(() => ({ status: 'absent', byteSize: 0 })),
  tree: { status: 'absent', reason: '', path: '' },
  folder: { status: 'absent', reason: '', path: '' },
})

const orNull = (value: number) => (value < 0 ? null : value)

const collectedOf = ({ status, reason, path }: CollectedPart): CollectedFolder => ({
  status,
  reason,
  ...(path && { path: Buffer.from(path, 'hex').toString('latin1') }),
})

/** The record as the ports have it. `treeFiles` are those of a collected tree. */
export function sandboxExitOf(
  exit: PodExit,
  { collect }: SandboxSpec,
  treeFiles: CollectedTreeFile[],
): SandboxExit {
  const { cause, detail, oomKills, pidsLimitHits, peakMemoryBytes, cpuMs, workspaceFull, sharedMemoryFull } =
    exit
  return {
    ...{ cause, detail, oomKills, pidsLimitHits, peakMemoryBytes, cpuMs, workspaceFull, sharedMemoryFull },
    exitCode: orNull(exit.exitCode),
    signal: orNull(exit.signal),
    startedAt: exit.startedAtMs > 0 ? new Date(exit.startedAtMs).toISOString() : null,
    endedAt: new Date(exit.endedAtMs).toISOString(),
    network: { ingressBytes: exit.ingressBytes, egressBytes: exit.egressBytes },
    log: { totalBytes: exit.logTotalBytes, keptBytes: exit.logKeptBytes },
    files: Object.fromEntries(
      collect.files.map((file, at) => [file.name, exit.files[at] ?? { status: 'absent', byteSize: 0 }]),
    ),
    tree: collect.tree ? { ...collectedOf(exit.tree), files: treeFiles } : null,
    folder: collect.folder ? collectedOf(exit.folder) : null,
  }
}
