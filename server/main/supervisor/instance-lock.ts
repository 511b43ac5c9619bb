import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { exitCodes, ServiceProblem } from './service-problem.ts'

export interface InstanceLock {
  release(): Promise<void>
}

const conflict = 75

/**
 * Takes the kernel's lock on `path`, so that one data folder has one service. Node has no such call: `flock`
 * holds it, and its `cat` ends with the pipe from this process, however this process dies. A lock file by
 * itself would be stale after a crash, and a socket is not seen from another container.
 */
export async function lockInstance(path: string): Promise<InstanceLock> {
  // Not emptied before the lock is held: the holder's process id is in it.
  await writeFile(path, '', { flag: 'a', mode: 0o600 })
  const held = ['sh', '-c', 'echo held && exec cat >/dev/null']
  const child = spawn(
    'flock',
    ['--nonblock', `--conflict-exit-code=${conflict}`, '--no-fork', path, ...held],
    {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })
  const outcome = await Promise.race([
    new Promise<'held'>((resolve) => child.stdout.once('data', () => resolve('held'))),
    ended,
  ])
  if (outcome === conflict) {
    const holder = (await readFile(path, 'utf8').catch(() => '')).trim()
    throw new ServiceProblem(
      exitCodes.secondInstance,
      `the service already runs on this data folder${holder ? ` (process ${holder})` : ''}: stop it first, or choose another folder with SANDBOX_DATA`,
    )
  }
  if (outcome !== 'held') {
    throw new ServiceProblem(
      exitCodes.toolMissing,
      'flock cannot lock the data folder: install the package util-linux',
    )
  }
  await writeFile(path, `${process.pid}\n`)
  child.unref()
  return {
    release: async () => {
      child.stdin.end()
      await ended
    },
  }
}
