import { randomBytes } from 'node:crypto'
import { access, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A control group that limits memory and processes, of version 1 or 2. */
export interface MemoryGroup {
  /** Files that take the id of a process that joins. */
  joinFiles: string[]
  /** Whether the kernel has ended a process of it for want of memory. */
  ranOut(): Promise<boolean>
  remove(): Promise<void>
}

interface Limits {
  memoryMib: number
  pids: number
}

/** Undefined where this user may not make one. */
export async function makeMemoryGroup(
  limits: Limits,
  root = '/sys/fs/cgroup',
): Promise<MemoryGroup | undefined> {
  const isUnified = await access(join(root, 'cgroup.controllers')).then(
    () => true,
    () => false,
  )
  const name = `sandbox-local-${randomBytes(6).toString('hex')}`
  const memory = join(isUnified ? root : join(root, 'memory'), name)
  const pids = isUnified ? memory : join(root, 'pids', name)
  const folders = [...new Set([memory, pids])]
  const remove = async () => {
    for (const folder of folders) await rmdir(folder).catch(() => undefined)
  }
  const bytes = String(limits.memoryMib * 1024 ** 2)
  try {
    for (const folder of folders) await mkdir(folder)
    await writeFile(join(memory, isUnified ? 'memory.max' : 'memory.limit_in_bytes'), bytes)
    await writeFile(join(pids, 'pids.max'), String(limits.pids))
    // Absent where the kernel does not count swap.
    const swap = isUnified ? ['memory.swap.max', '0'] : ['memory.memsw.limit_in_bytes', bytes]
    await writeFile(join(memory, swap[0] ?? ''), swap[1] ?? '').catch(() => undefined)
  } catch {
    await remove()
    return undefined
  }
  const events = join(memory, isUnified ? 'memory.events' : 'memory.oom_control')
  return {
    joinFiles: folders.map((folder) => join(folder, 'cgroup.procs')),
    ranOut: async () => /^oom_kill [1-9]/m.test(await readFile(events, 'utf8').catch(() => '')),
    remove,
  }
}
