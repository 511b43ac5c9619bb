import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { controlGroupOf } from '../server/main/supervisor/processes/service-roles.ts'
import { sharePacked } from './share-packed.ts'

export const sandboxCommand = resolve(import.meta.dirname, '../sandbox')

export interface StartedService {
  child: ChildProcess
  /** Its output so far. */
  lines: string[]
  exited: Promise<number | null>
}

/** A Python program that becomes the command of its arguments with a socket that listens on the port, as systemd passes one. */
const withSocket = `
import os, socket, sys
listening = socket.create_server(('127.0.0.1', int(sys.argv[1])))
os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')
os.execv(sys.argv[2], sys.argv[2:])
`

export interface Start {
  settings?: Record<string, string>
  /** Whether the service is given the socket that it listens on. */
  isGivenSocket?: boolean
}

/** Starts the service itself and resolves once it reports that it is ready. */
export async function startedService(
  dataDir: string,
  port: number,
  { settings, isGivenSocket }: Start = {},
): Promise<StartedService> {
  if (!existsSync(dataDir)) {
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    sharePacked(dataDir)
  }
  const given = isGivenSocket ? ['/usr/bin/python3', '-c', withSocket, String(port)] : []
  const [command, ...args] = [...given, sandboxCommand, 'up']
  const child = spawn(command, args, {
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
