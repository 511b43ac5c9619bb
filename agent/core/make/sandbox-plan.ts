import { existsSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { newWorkFloorBytes } from '../../../server/base/disk-floor.ts'
import type { VisibleMachine } from '../../bundle/procfs-overlay.ts'
import { groupLimits, type RuntimePrograms, runtimeCommand } from '../../bundle/runtimes.ts'
import type { ShimPlan, TreeSource } from '../../bundle/shim-plan.ts'
import type { Confinement } from '../../bundle/spec.ts'
import type { Processors } from '../../capacity/processors.ts'
import type { CgroupLayout } from '../../host/cgroup-layout.ts'
import { planCgroups } from '../../host/cgroups.ts'
import { type AgentPaths, diskIdBase, stagingFolder } from '../../host/paths.ts'
import { treesOf } from '../../images/image-folders.ts'
import type { Link } from '../../network/link-maker.ts'
import { ExecutorRefused } from '../../port/errors.ts'
import type { RefusalCause } from '../../port/refusal-causes.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import type { ProcfsOverlayFolders } from './procfs-folders.ts'

export interface PlanOptions {
  paths: AgentPaths
  cgroups: CgroupLayout
  cgroupParent: string
  platformLayer: string
  /** The platform layer with the service's resolver in /etc/resolv.conf. */
  networkLayer: string
  /** The platform layer for builds, which hides files of the machine that the builder was made on. */
  buildLayer: string
  /** The same with the service's resolver. */
  buildNetworkLayer: string
  runtimes: RuntimePrograms
  /** A library that crun is loaded with; undefined: none. */
  crunPreload: string | undefined
  procfsOverlays: ProcfsOverlayFolders
  processors: Processors
  /** Bytes of the disk that stay free; undefined: computed from its size. */
  diskFloorBytes: number | undefined
}

/** Options of an internal sandbox of the agent: its workspace is a host folder, which a spec cannot name. */
export interface InternalSandbox {
  confinement: Confinement
  idBase: number
  workspaceFolder: string
}

interface PlannedSandbox {
  /** Name of its folder and its control groups. */
  name: string
  spec: SandboxSpec
  idBase: number
  /** Its network link, if it has one. */
  link: Link | undefined
  folder: string
  internal: InternalSandbox | undefined
}

/** The plan for the shim. Refuses if the image or the builder is missing. */
export async function planSandbox(
  {
    paths,
    cgroups,
    cgroupParent,
    platformLayer,
    networkLayer,
    buildLayer,
    buildNetworkLayer,
    runtimes,
    crunPreload,
    procfsOverlays,
    processors,
    diskFloorBytes,
  }: PlanOptions,
  { name, spec, idBase, link, folder, internal }: PlannedSandbox,
): Promise<ShimPlan> {
  const [alone, linked] =
    spec.rootfs.kind === 'builder' ? [buildLayer, buildNetworkLayer] : [platformLayer, networkLayer]
  const layer = link ? linked : alone
  const lowers: TreeSource[] = [{ diskIdBase: diskIdBase.platform, path: layer }]
  let baseImages: TreeSource | undefined
  if (spec.rootfs.kind === 'builder') {
    needFolder(paths.builderRootfs, 'builder_missing', 'run quickstart or the builder installation')
    lowers.push({ diskIdBase: diskIdBase.builder, path: paths.builderRootfs })
    baseImages = { diskIdBase: diskIdBase.baseImages, path: paths.baseImages }
    await mkdir(paths.baseImages, { recursive: true, mode: 0o755 })
  } else if (!internal) {
    const trees = treesOf(paths, spec.rootfs.digest)
    lowers.push(...trees.map((path) => ({ diskIdBase: diskIdBase.image, path })))
  }
  const viewFolder = await procfsOverlays.folder(visibleMachine(spec, processors.count))
  const cpus = processors.choose(spec.limits.vcpu)
  const planned = planCgroups(cgroups, cgroupParent, { name, limits: groupLimits(spec), cpus })
  const groups = processors.watch(name, planned, spec.owner)
  return {
    name,
    spec,
    idBase,
    staging: stagingFolder,
    viewFolder,
    command: runtimeCommand({ ...spec, id: name }, runtimes),
    environment:
      spec.runtime === 'crun' && crunPreload !== undefined ? `LD_PRELOAD=${crunPreload}` : undefined,
    cgroups: groups,
    lowers,
    baseImages,
    link,
    collectLock: spec.owner === undefined ? undefined : join(paths.collectLocks, String(spec.owner)),
    workspace: internal
      ? { kind: 'folder', path: internal.workspaceFolder }
      : spec.limits.workspaceKind === 'disk'
        ? {
            kind: 'disk',
            path: join(folder, 'disk.img'),
            floorBytes: await workspaceFloorBytes(paths.sandboxes, diskFloorBytes),
          }
        : { kind: 'memory' },
  }
}

/** Bytes that a workspace on the folder's disk leaves free: below it new work of others is refused. */
async function workspaceFloorBytes(folder: string, floorBytes: number | undefined): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return newWorkFloorBytes(blocks * bsize, floorBytes)
}

/** Memory and processors that a program sees: the promised memory, and no more processors than the host has. */
const visibleMachine = ({ limits }: SandboxSpec, cpus: number): VisibleMachine => ({
  cpus: Math.min(cpus, Math.ceil(limits.vcpu)),
  memoryBytes: limits.shownMemoryBytes ?? limits.memoryBytes,
})

function needFolder(path: string, slug: RefusalCause, advice: string): void {
  if (!existsSync(path)) throw new ExecutorRefused(slug, `${path} is missing: ${advice}`)
}
