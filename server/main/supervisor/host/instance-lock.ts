import { execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

export interface InstanceLock {
  release(): Promise<void>
}

/** The holder of a lock, read from its file: process id and the service's address, one per line. */
export interface Holder {
  pid: number
  url: string
}

const conflict = 75
const run = promisify(execFile)

/**
 * Takes the kernel's lock on `path`, so that one data folder has one service. Node has no such call: `flock` holds
 * it, and its `cat` exits when the pipe from this process closes, however this process dies. A plain lock file would
 * be stale after a crash, and a socket is invisible in another container.
 */
export async function lockInstance(path: string, url: string): Promise<InstanceLock> {
  // Not truncated before the lock is held: it contains the holder's process id.
  await writeFile(path, '', { flag: 'a', mode: 0o600 })
  const held = ['sh', '-c', 'echo held && exec cat >/dev/null']
  // It waits a moment, because a process that reads the holder takes the lock for an instant.
  const child = spawn('flock', ['--wait=1', `--conflict-exit-code=${conflict}`, '--no-fork', path, ...held], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })
  // Killing the child breaks its pipes: that is not an error of this process.
  for (const pipe of [child.stdin, child.stdout]) pipe.on('error', () => undefined)
  const outcome = await Promise.race([
    new Promise<'held'>((resolve) => child.stdout.once('data', () => resolve('held'))),
    ended,
  ])
  if (outcome === conflict) {
    const holder = await readHolder(path)
    throw new ServiceProblem(
      exitCodes.secondInstance,
      `the service already runs on this data folder${holder ? ` (process ${holder.pid}, ${holder.url})` : ''}: sandbox down stops it, SANDBOX_DATA chooses another folder`,
    )
  }
  if (outcome !== 'held') {
    throw new ServiceProblem(
      exitCodes.toolMissing,
      'flock cannot lock the data folder: install the package util-linux',
    )
  }
  await writeFile(path, `${process.pid}\n${url}\n`)
  child.unref()
  return {
    release: async () => {
      child.ref()
      child.stdin.end()
      await ended
    },
  }
}

/** The holder of the lock on `path`; undefined if nobody holds it. */
export async function lockHolder(path: string): Promise<Holder | undefined> {
  const holder = await readHolder(path)
  if (!holder) return undefined
  try {
    await run('flock', ['--nonblock', `--conflict-exit-code=${conflict}`, '--no-fork', path, 'true'])
    return undefined
  } catch (error) {
    const isHeld = error instanceof Error && 'code' in error && error.code === conflict
    return isHeld ? holder : undefined
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  const [pid = '', url = ''] = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  return /^[1-9]\d{0,9}$/.test(pid) ? { pid: Number(pid), url } : undefined
}
