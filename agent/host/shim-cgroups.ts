import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupLayout } from './cgroup-layout.ts'

/**
 * The groups of shims: one for each owner in a group of their own, with the controller of processors alone. They lie beside the groups
 * of sandboxes, so that no memory of a shim counts towards the limit of a sandbox, or that of all sandboxes.
 */
export interface ShimCgroups {
  folder: string
  /** File of an owner's group, and its value as the kernel sets it. */
  weight: { file: string; value: number }
}

export function shimCgroups(layout: CgroupLayout, parent: string): ShimCgroups {
  const name = `${parent}-shims`
  return layout.version === 1
    ? { folder: join(layout.cpu, name), weight: { file: 'cpu.shares', value: 1024 } }
    : { folder: join(layout.root, name), weight: { file: 'cpu.weight', value: 100 } }
}

/** Makes the group above the groups of owners. */
export async function prepareShimCgroups(layout: CgroupLayout, parent: string): Promise<void> {
  const { folder } = shimCgroups(layout, parent)
  await mkdir(folder, { recursive: true })
  if (layout.version === 2) await writeFile(join(folder, 'cgroup.subtree_control'), '+cpu')
}

/** Removes the groups that have no shim. */
export async function removeShimCgroups(layout: CgroupLayout, parent: string): Promise<void> {
  const { folder } = shimCgroups(layout, parent)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const owners = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  for (const group of [...owners, folder]) await rmdir(group).catch(() => undefined)
}
