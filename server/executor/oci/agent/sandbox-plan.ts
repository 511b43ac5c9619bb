import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ExecutorRefused, type SandboxSpec } from '../../port.ts'
import { type CgroupLayout, planCgroups } from '../cgroups.ts'
import type { Link } from '../network/link-maker.ts'
import { type AgentPaths, diskIdBase, stagingFolder } from '../paths.ts'
import type { ShimPlan, TreeSource } from '../plan.ts'
import { groupLimits, type RuntimePrograms, runtimeCommand } from '../runtimes.ts'
import type { Confinement } from '../spec.ts'

export interface PlanOptions {
  paths: AgentPaths
  cgroups: CgroupLayout
  cgroupParent: string
  platformLayer: string
  /** The same with the service's resolver in /etc/resolv.conf. */
  networkLayer: string
  runtimes: RuntimePrograms
}

/** A sandbox on disk: what was asked, and the id range that it has. */
export interface Ticket {
  spec: SandboxSpec
  idBase: number
  /** Its network link, where it has one. */
  link?: Link
}

/** An internal sandbox of the agent: another place to work in than the spec can name. */
export interface Special {
  confinement: Confinement
  idBase: number
  workspaceFolder: string
}

/** Where the runtime of one sandbox keeps its state: gone with the sandbox's folder. */
export const runtimeRoot = (folder: string): string => join(folder, 'runtime')

/** What the shim needs to know; refuses when a tree that the sandbox stands on is missing. */
export async function planSandbox(
  { paths, cgroups, cgroupParent, platformLayer, networkLayer, runtimes }: PlanOptions,
  ticket: Ticket,
  folder: string,
  special: Special | undefined,
): Promise<ShimPlan> {
  const { spec, idBase, link } = ticket
  const layer = link ? networkLayer : platformLayer
  const lowers: TreeSource[] = [{ diskIdBase: diskIdBase.platform, path: layer }]
  let baseImages: TreeSource | undefined
  if (spec.rootfs.kind === 'builder') {
    await needFolder(paths.builderRootfs, 'builder_missing', 'run quickstart or the builder installation')
    lowers.push({ diskIdBase: diskIdBase.builder, path: paths.builderRootfs })
    baseImages = { diskIdBase: diskIdBase.baseImages, path: paths.baseImages }
    await mkdir(paths.baseImages, { recursive: true, mode: 0o755 })
  } else if (!special) {
    const tree = join(paths.images, spec.rootfs.digest.slice('sha256:'.length), 'tree')
    await needFolder(tree, 'image_missing', 'install it first')
    lowers.push({ diskIdBase: diskIdBase.image, path: tree })
  }
  return {
    spec,
    idBase,
    staging: stagingFolder,
    command: runtimeCommand(spec, { programs: runtimes, root: runtimeRoot(folder) }),
    cgroups: planCgroups(cgroups, cgroupParent, spec.id, groupLimits(spec)),
    lowers,
    baseImages,
    link,
    workspace: special
      ? { kind: 'folder', path: special.workspaceFolder }
      : spec.limits.workspaceKind === 'disk'
        ? { kind: 'disk', path: join(folder, 'disk.img') }
        : { kind: 'memory' },
  }
}

async function needFolder(path: string, slug: string, advice: string): Promise<void> {
  const found = await access(path).then(
    () => true,
    () => false,
  )
  if (!found) throw new ExecutorRefused(slug, `${path} is missing: ${advice}`)
}
