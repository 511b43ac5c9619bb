import { readFile } from 'node:fs/promises'

/** The control groups of this machine: version 1 with a folder per controller, or the one tree of version 2. */
export type CgroupLayout =
  | {
      version: 1
      memory: string
      cpu: string
      cpuacct: string
      pids: string
      devices: string
      cpuset?: string
    }
  | { version: 2; root: string; cpuset: boolean }

/** Parses /proc/self/mountinfo; undefined if a required controller is missing. */
export function findCgroups(mountInfo: string, version2Controllers: string): CgroupLayout | undefined {
  const version1 = new Map<string, string>()
  let version2: string | undefined
  for (const line of mountInfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    const folder = left.split(' ')[4]
    const [kind, , options = ''] = right.split(' ')
    if (folder === undefined) continue
    if (kind === 'cgroup') for (const option of options.split(',')) version1.set(option, folder)
    if (kind === 'cgroup2') version2 = folder
  }
  const folderOf = (name: string) => version1.get(name)
  const [memory, cpu, cpuacct, pids, devices] = ['memory', 'cpu', 'cpuacct', 'pids', 'devices'].map(folderOf)
  if (memory && cpu && cpuacct && pids && devices) {
    const cpuset = folderOf('cpuset')
    return { version: 1, memory, cpu, cpuacct, pids, devices, ...(cpuset && { cpuset }) }
  }
  const controllers = version2Controllers.trim().split(' ')
  const complete = ['memory', 'cpu', 'pids'].every((name) => controllers.includes(name))
  const cpuset = controllers.includes('cpuset')
  return version2 && complete ? { version: 2, root: version2, cpuset } : undefined
}

export async function detectCgroups(): Promise<CgroupLayout | undefined> {
  const controllers = await readFile('/sys/fs/cgroup/cgroup.controllers', 'utf8').catch(() => '')
  return findCgroups(await readFile('/proc/self/mountinfo', 'utf8'), controllers)
}
