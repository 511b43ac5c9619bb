import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { CliError } from '../../failure.ts'

export interface Finished {
  code: number
  stdout: Buffer
  stderr: string
}

/** Runs a program to its end. One that cannot be started ends with 127. */
export async function finish(argv: readonly string[]): Promise<Finished> {
  const [command = '', ...args] = argv
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = exitOf(child)
  const [stdout, stderr, code] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended])
  return { code, stdout, stderr: stderr.toString('utf8') }
}

/** The same, and its output as text. Throws what it printed if it fails. */
export async function output(argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await finish(argv)
  if (code !== 0) throw programFailed(argv, stderr)
  return stdout.toString('utf8').trim()
}

/**
 * Runs a program whose output and errors are one stream, in their order. Ctrl-C of the terminal reaches only this command,
 * which decides what it means.
 */
export async function logged(argv: readonly string[], onLog: (bytes: Buffer) => void): Promise<number> {
  const child = spawn('sh', ['-c', 'exec "$@" 2>&1', 'sh', ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  child.stdout.on('data', onLog)
  return exitOf(child)
}

async function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return code ?? 125
  } catch {
    return 127
  }
}

export const programFailed = ([command = '', first = '']: readonly string[], said: string) =>
  new CliError(`${command} ${first} failed: ${said.trim().split('\n').slice(-5).join('\n')}`, {
    hint: `This is what ${command} printed.`,
    code: 'cli_local',
  })
