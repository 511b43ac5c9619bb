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

/** A program in progress, which ends with its standard input, or ignores it. */
export interface Started {
  pid: number | undefined
  endInput: () => void
  code: Promise<number>
}

/**
 * Starts a program whose output and errors are one stream, in their order. Ctrl-C of the terminal reaches only this command,
 * which decides what it means.
 */
export function startLogged(argv: readonly string[], onLog: (bytes: Buffer) => void): Started {
  const child = spawn('sh', ['-c', 'exec "$@" 2>&1', 'sh', ...argv], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', onLog)
  return { pid: child.pid, endInput: () => child.stdin.end(), code: exitOf(child) }
}

/** Runs it to its end. The signal interrupts it and what it has started; at the end of this command it is killed. */
export async function logged(
  argv: readonly string[],
  onLog: (bytes: Buffer) => void,
  signal?: AbortSignal,
): Promise<number> {
  const { pid, endInput, code } = startLogged(argv, onLog)
  endInput()
  const interrupt = () => killGroup(pid, 'SIGINT')
  const kill = () => killGroup(pid, 'SIGKILL')
  signal?.addEventListener('abort', interrupt)
  process.once('exit', kill)
  try {
    return await code
  } finally {
    signal?.removeEventListener('abort', interrupt)
    process.off('exit', kill)
  }
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

/** Starts a program that continues when this command ends, and that Ctrl-C of the terminal does not reach. */
export function leave([command = '', ...args]: readonly string[]): void {
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
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
