import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '../../server/base/clock.ts'
import type { TestAgent } from '../../testing/agent/test-agent.ts'

const run = promisify(execFile)

/** The kernel releases the last mount of a disk shortly after the sandbox is removed. */
const settleMs = 5000

/** Residue of removed sandboxes on the host; empty if there is none. */
export async function residueOf(agent: TestAgent): Promise<string[]> {
  const endsAt = performance.now() + settleMs
  for (;;) {
    const left = await findResidue(agent)
    if (left.length === 0 || performance.now() > endsAt) return left
    await sleep(50)
  }
}

async function findResidue(agent: TestAgent): Promise<string[]> {
  const left: string[] = []
  const mounts = await readFile('/proc/self/mountinfo', 'utf8')
  if (mounts.includes(agent.dataDir)) left.push('a mount')
  const { stdout: groups } = await run('find', [
    '/sys/fs/cgroup',
    '-mindepth',
    '2',
    '-type',
    'd',
    '-path',
    `*/${agent.cgroup}/*`,
  ])
  if (groups !== '') left.push(`a control group: ${groups.split('\n')[0]}`)
  const { stdout: loops } = await run('losetup', ['--list', '--noheadings', '--output', 'BACK-FILE'])
  if (loops.includes(agent.dataDir)) left.push('a loop device')
  const folders = await readdir(join(agent.dataDir, 'agent/sandboxes')).catch(() => [])
  if (folders.length > 0) left.push(`a folder: ${folders[0]}`)
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const group = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
    if (group.includes(`/${agent.cgroup}/`)) left.push(`a process: ${pid}`)
  }
  return left
}
