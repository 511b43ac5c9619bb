import { posix } from 'node:path'
import type { CgroupPlan } from '../host/cgroups.ts'
import type { Link } from '../network/link-maker.ts'
import type { CollectedPath, SandboxCollect, SandboxSpec } from '../port/sandbox-spec.ts'
import { endsWithStart, hiddenFolder, readsHostMemory, statusDescriptor } from './runtimes.ts'

/** A tree on the host's disk, and the first id of the range that owns it there. */
export interface TreeSource {
  diskIdBase: number
  path: string
}

export interface ShimPlan {
  name: string
  spec: SandboxSpec
  idBase: number
  staging: string
  /** Folder of the files that show the sandbox's size: `proc` and `cgroup`. */
  viewFolder: string
  /** The runtime's command line; empty for the launcher. */
  command: string[]
  /** One more variable of the runtime, as `NAME=value`; undefined: none. */
  environment: string | undefined
  cgroups: CgroupPlan
  /** Top first: the platform layer, then the image. */
  lowers: TreeSource[]
  baseImages: TreeSource | undefined
  /** The prepared link; undefined: an empty network namespace. */
  link: Link | undefined
  /** Lock file: sandboxes with the same one collect large results one after another. */
  collectLock: string | undefined
  workspace:
    | { kind: 'memory' }
    | { kind: 'folder'; path: string }
    /** `floorBytes`: what it leaves free of the host's disk. */
    | { kind: 'disk'; path: string; floorBytes: number }
}

/** The plan file of one shim: one `key value...` per line (native/shim/plan.c reads it). */
export function planText(plan: ShimPlan): string {
  const { spec, cgroups } = plan
  const { limits, collect } = spec
  const path = plan.workspace.kind === 'memory' ? '-' : plan.workspace.path
  const lines = [
    ['id', plan.name],
    ['staging', plan.staging],
    ['view', plan.viewFolder],
    ...(spec.runtime === 'launcher' ? [['runtime', 'launcher']] : []),
    ...plan.command.map((word) => ['command', word]),
    ['status_descriptor', statusDescriptor[spec.runtime]],
    ...(endsWithStart[spec.runtime] ? [['end_runtime', 'up']] : []),
    ...(plan.environment === undefined ? [] : [['environment', plan.environment]]),
    ['id_base', plan.idBase],
    ['uid', spec.user.uid],
    ['gid', spec.user.gid],
    ['log_bytes', limits.logBytes],
    ['grace_ms', limits.graceMs ?? 0],
    ...cgroups.folders.map((folder) => ['cgroup', folder]),
    ...(cgroups.shown ? [['shown_cgroup', cgroups.shown]] : []),
    ...cgroups.settings.map(({ slug, path, value }) => ['set', slug, path, value]),
    ...cgroups.counters.map(({ name, divisor, path, key }) => ['counter', name, divisor, path, key]),
    ...cgroups.devices.map((device) => ['device', ...device.split(':')]),
    ['procs', cgroups.procs],
    ...plan.lowers.map((lower) => ['lower', lower.diskIdBase, lower.path]),
    ...(plan.baseImages ? [['base_images', plan.baseImages.diskIdBase, plan.baseImages.path]] : []),
    ['workspace', plan.workspace.kind, limits.workspaceBytes, limits.workspaceInodes, path],
    ...collect.files.map((file) => ['collect_file', file.maxBytes, belowWorkspace(file.path)]),
  ]
  if (plan.link && spec.network !== 'none') {
    lines.push(['network', spec.network.egressCapBytes, plan.link.inode, plan.link.path])
    const { ingressCapBytes } = spec.network
    if (ingressCapBytes !== undefined) lines.push(['ingress_cap', ingressCapBytes])
    const hidden = hiddenFolder[spec.runtime]
    if (hidden) lines.push(['hidden', hidden])
  }
  if (readsHostMemory[spec.runtime]) lines.push(['covered', 'meminfo'])
  if (plan.workspace.kind === 'disk') lines.push(['disk_floor', plan.workspace.floorBytes])
  lines.push(['collect_seconds', collectSeconds(collect)])
  if (plan.collectLock) lines.push(['collect_lock', plan.collectLock])
  if (collect.tree) lines.push(['collect_tree', ...collectedPath(collect.tree)])
  if (collect.folder) lines.push(['collect_folder', ...collectedPath(collect.folder)])
  return lines.map(line).join('')
}

/** A result of any permitted size is copied in time on a host that copies so fast. The copy pauses for three quarters of its time. */
const collectedBytesPerSecond = 4 * 1024 ** 2
/** For all that is not copying. */
const collectSecondsMin = 120

function collectSeconds({ files, tree, folder }: SandboxCollect): number {
  const maxBytes = [...files, tree, folder].reduce((sum, part) => sum + (part?.maxBytes ?? 0), 0)
  return collectSecondsMin + Math.ceil(maxBytes / collectedBytesPerSecond)
}

const collectedPath = ({ path, maxFiles, maxBytes, maxPathBytes, maxNameBytes }: CollectedPath) => [
  ...[maxFiles, maxBytes, maxPathBytes, maxNameBytes],
  belowWorkspace(path),
]

function line(fields: (string | number)[]): string {
  const text = fields.join(' ')
  if (/[\n\0]/.test(text)) throw new Error('a plan line cannot hold a line break')
  return `${text}\n`
}

const belowWorkspace = (path: string) => posix.relative('/workspace', path) || '.'
