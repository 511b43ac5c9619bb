import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { controlGroupOf } from '../server/main/supervisor/host/control-group.ts'

export const sandboxCommand = resolve(import.meta.dirname, '../sandbox')

export interface StartedService {
  child: ChildProcess
  /** Its output so far. */
  lines: string[]
  exited: Promise<number | null>
}

/** Starts the service itself and resolves once it reports that it is ready. */
export async function startedService(dataDir: string, port: number): Promise<StartedService> {
  const child = spawn(sandboxCommand, ['up'], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: dataDir, SANDBOX_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    void exited.then(() => reject(new Error(lines.join('\n'))))
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (line.includes('ready on')) resolve()
      })
    }
  })
  return { child, lines, exited }
}

export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Removes the control groups of a data folder's agent. */
export function removeControlGroups(dataDir: string): void {
  for (const hierarchy of ['.', ...readdirSync('/sys/fs/cgroup')]) {
    try {
      rmdirSync(join('/sys/fs/cgroup', hierarchy, controlGroupOf(dataDir)))
    } catch {
      // Absent in this hierarchy.
    }
  }
}
