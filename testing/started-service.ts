import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { controlGroupOf } from '../server/main/supervisor/processes/service-roles.ts'

export const sandboxCommand = resolve(import.meta.dirname, '../sandbox')

export interface StartedService {
  child: ChildProcess
  /** Its output so far. */
  lines: string[]
  exited: Promise<number | null>
}

/** Gives a new data folder the programs that the test run has packed. The service packs others if these are not of its sources. */
function sharePacked(dataDir: string): void {
  const { PACKED_PROGRAMS: packed } = process.env
  if (packed === undefined || existsSync(dataDir)) return
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  const folder = fileURLToPath(packed)
  cpSync(folder, join(dataDir, 'packed', basename(folder)), { recursive: true })
}

/** Starts the service itself and resolves once it reports that it is ready. */
export async function startedService(
  dataDir: string,
  port: number,
  settings: Record<string, string> = {},
): Promise<StartedService> {
  sharePacked(dataDir)
  const child = spawn(sandboxCommand, ['up'], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SANDBOX_DATA: dataDir,
      SANDBOX_PORT: String(port),
      ...settings,
    },
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
