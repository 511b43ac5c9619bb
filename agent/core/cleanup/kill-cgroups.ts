import { readFile, rmdir } from 'node:fs/promises'
import { sleep } from '../../../server/base/clock.ts'
import type { CgroupPlan } from '../../host/cgroups.ts'

const rounds = 1000
const pauseMs = 5

/** Kills every process in a sandbox's control groups and removes the groups. Used when the shim is gone. */
export async function killAndRemoveCgroups(
  plan: Pick<CgroupPlan, 'folders' | 'procs'>,
  name: string,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const text = await readFile(plan.procs, 'utf8').catch(() => '')
    const pids = text.split('\n').filter((line) => line !== '')
    if (pids.length === 0) break
    for (const pid of pids) await killMember(Number(pid), name)
    await sleep(pauseMs)
  }
  for (const folder of plan.folders) await removeGroup(folder)
}

/** The pid may have been reused: only a member of the sandbox's group is killed. */
async function killMember(pid: number, name: string): Promise<void> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
  if (!groups.split('\n').some((line) => line.endsWith(`/${name}`))) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    try {
      await rmdir(folder)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return
      await sleep(pauseMs)
    }
  }
}
