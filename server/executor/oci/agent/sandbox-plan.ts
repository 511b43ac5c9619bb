import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ExecutorRefused, type SandboxSpec } from '../../port.ts'
import { type CgroupLayout, planCgroups } from '../cgroups.ts'
import type { Link } from '../network/link-maker.ts'
import type { OwnMachine } from '../own-proc.ts'
import { type AgentPaths, diskIdBase, stagingFolder } from '../paths.ts'
import type { ShimPlan, TreeSource } from '../plan.ts'
import { groupLimits, type RuntimePrograms, runtimeCommand } from '../runtimes.ts'
import type { Confinement } from '../spec.ts'
import type { OwnProcFolders } from './own-proc-folders.ts'
import type { Processors } from './processors.ts'

export interface PlanOptions {
  paths: AgentPaths
  cgroups: CgroupLayout
  cgroupParent: string
  platformLayer: string
  /** The same with the service's resolver in /etc/resolv.conf. */
  networkLayer: string
  /** The same for builds, with nothing of the machine that the builder was made on. */
  buildLayer: string
  runtimes: RuntimePrograms
  ownProc: OwnProcFolders
  processors: Processors
}

/** An internal sandbox of the agent: another place to work in than the spec can name. */
export interface Special {
  confinement: Confinement
  idBase: number
  workspaceFolder: string
}

interface PlannedSandbox {
  /** Of its folder and its control groups. */
  name: string
  spec: SandboxSpec
  idBase: number
  /** Its network link, where it has one. */
  link: Link | undefined
  folder: string
  special: Special | undefined
}

/** What the shim needs to know; refuses when a tree that the sandbox stands on is missing. */
export async function planSandbox(
  {
    paths,
    cgroups,
    cgroupParent,
    platformLayer,
    networkLayer,
    buildLayer,
    runtimes,
    ownProc,
    processors,
  }: PlanOptions,
  { name, spec, idBase, link, folder, special }: PlannedSandbox,
): Promise<ShimPlan> {
  const ownLayer = spec.rootfs.kind === 'builder' ? buildLayer : platformLayer
  const layer = link ? networkLayer : ownLayer
  const lowers: TreeSource[] = [{ diskIdBase: diskIdBase.platform, path: layer }]
  let baseImages: TreeSource | undefined
  if (spec.rootfs.kind === 'builder') {
    needFolder(paths.builderRootfs, 'builder_missing', 'run quickstart or the builder installation')
    lowers.push({ diskIdBase: diskIdBase.builder, path: paths.builderRootfs })
    baseImages = { diskIdBase: diskIdBase.baseImages, path: paths.baseImages }
    await mkdir(paths.baseImages, { recursive: true, mode: 0o755 })
  } else if (!special) {
    const tree = join(paths.images, spec.rootfs.digest.slice('sha256:'.length), 'tree')
    needFolder(tree, 'image_missing', 'install it first')
    lowers.push({ diskIdBase: diskIdBase.image, path: tree })
  }
  const procFolder = await ownProc.folder(ownMachine(spec, processors.count))
  const cpus = processors.choose(spec.limits.vcpu)
  const planned = planCgroups(cgroups, cgroupParent, { name, limits: groupLimits(spec), cpus })
  const groups = processors.watch(name, planned, spec.owner)
  return {
    name,
    spec,
    idBase,
    staging: stagingFolder,
    procFolder,
    command: runtimeCommand({ ...spec, id: name }, runtimes),
    cgroups: groups,
    lowers,
    baseImages,
    link,
    collectLock: spec.owner === undefined ? undefined : join(paths.collectLocks, String(spec.owner)),
    workspace: special
      ? { kind: 'folder', path: special.workspaceFolder }
      : spec.limits.workspaceKind === 'disk'
        ? { kind: 'disk', path: join(folder, 'disk.img') }
        : { kind: 'memory' },
  }
}

/** A program is shown the memory that it was promised, and no more processors than there are. */
const ownMachine = ({ limits }: SandboxSpec, cpus: number): OwnMachine => ({
  cpus: Math.min(cpus, Math.ceil(limits.vcpu)),
  memoryBytes: limits.shownMemoryBytes ?? limits.memoryBytes,
})

function needFolder(path: string, slug: string, advice: string): void {
  if (!existsSync(path)) throw new ExecutorRefused(slug, `${path} is missing: ${advice}`)
}
