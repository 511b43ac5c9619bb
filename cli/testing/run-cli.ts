import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The checkout's command, also with the commands for the service's own machine. */
export const checkoutCommand = resolve(import.meta.dirname, '../../sandbox')

/** The same where the test run has packed it (`packed-programs.ts`): it starts in a quarter of the time. */
export const { PACKED_COMMAND: machineCommand = checkoutCommand } = process.env

/** The oldest Node that the command for other machines runs on, of `install/node-20.sh`, and that of the service. */
export const clientNodes = ['/usr/local/lib/sandbox-jobs/node-20', process.execPath]

/** The command for other machines where the test run has packed it (`packed-programs.ts`): it starts in a third of the time. */
function defaultProgram(): [string, ...string[]] {
  const { PACKED_PROGRAMS: folder } = process.env
  return folder ? [process.execPath, fileURLToPath(new URL('sandbox', folder))] : [checkoutCommand]
}

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
  /** The program and its first arguments. */
  program?: [string, ...string[]]
}

/** Runs the command as a user does, without a terminal and without settings of the caller. */
export async function runCli(
  args: string[],
  { home, env = {}, stdin = '', program: [command, ...first] = defaultProgram() }: CliCall,
): Promise<CliResult> {
  const child = spawn(command, [...first, ...args], {
    cwd: home,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      SANDBOX_CLI_CONFIG: join(home, 'credentials.json'),
      // Spares each call a quarter of its processor time (`packed-programs.ts`).
      NODE_COMPILE_CACHE: process.env.COMPILED_PROGRAMS,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout, stderr }
}
