import { readdir, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type CgroupLayout, detectCgroups } from '../host/cgroup-layout.ts'
import { cgroupsOf, removeCgroups } from '../host/cgroups.ts'
import { agentPaths } from '../host/paths.ts'
import { networkNames } from '../network/addresses.ts'
import { removeRouter } from '../network/router.ts'
import { killAndRemoveCgroups } from './residue.ts'

/**
 * Ends all sandboxes of a data folder whose agent does not run, and removes their control groups and their network. The next agent
 * reports them as lost. Returns how many there were.
 */
export async function endSandboxes(dataDir: string, cgroupParent: string): Promise<number> {
  await killPrograms(agentPaths(dataDir).native)
  const layout = await detectCgroups()
  const names = layout ? await groupsIn(layout, cgroupParent) : []
  if (layout) {
    for (const name of names) await killAndRemoveCgroups(cgroupsOf(layout, cgroupParent, name), name)
    await removeCgroups(layout, cgroupParent)
  }
  await removeRouter(networkNames(dataDir))
  return names.length
}

async function groupsIn(layout: CgroupLayout, parent: string): Promise<string[]> {
  const folder = join(layout.version === 2 ? layout.root : layout.pids, parent)
  const found = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** Kills shims and what holds their network: they run programs of this folder, which only root can enter. */
async function killPrograms(folder: string): Promise<void> {
  const native = await realpath(folder).catch(() => undefined)
  if (native === undefined) return
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
    if (program.startsWith(`${native}/`)) kill(Number(pid))
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
