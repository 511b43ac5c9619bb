import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const sandbox = resolve(import.meta.dirname, '../../sandbox')

export interface CliResult {
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface CliCall {
  /** Folder of the login file; each test has its own. */
  home: string
  env?: Record<string, string>
  stdin?: string
}

/** Runs the command as a user does, without a terminal and without settings of the caller. */
export async function runCli(args: string[], { home, env = {}, stdin = '' }: CliCall): Promise<CliResult> {
  const child = spawn(sandbox, args, {
    cwd: home,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      SANDBOX_CLI_CONFIG: join(home, 'credentials.json'),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout, stderr }
}
