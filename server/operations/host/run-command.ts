import { spawn } from 'node:child_process'
import { eachLine } from '../../base/each-line.ts'

/** A command of the operator failed. The message ends with the last lines of its output. */
export class CommandFailed extends Error {
  constructor(command: string, outcome: string, output: string) {
    super(`${command} failed (${outcome})\n${output.trim().split('\n').slice(-15).join('\n')}`)
    this.name = 'CommandFailed'
  }
}

const keptOutput = 64 * 1024

export interface CommandOptions {
  input?: string
  /** Gets each complete line of the output as it comes. */
  onLine?: (line: string) => void
}

/** Runs a program without a shell. Rejects with `CommandFailed`. Its output is kept only to explain a failure. */
export function runCommand(
  command: string,
  args: string[],
  { input = '', onLine }: CommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    const keep = (bytes: Buffer) => {
      output = (output + bytes.toString('utf8')).slice(-keptOutput)
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', keep)
      if (onLine) eachLine(stream, onLine)
    }
    child.on('error', (error) => reject(new CommandFailed(command, error.message, '')))
    child.on('close', (code, signal) =>
      code === 0 ? resolve(output) : reject(new CommandFailed(command, signal ?? `exit ${code}`, output)),
    )
    // A program that ends before it has read its input breaks the pipes. Only its exit status counts.
    for (const pipe of child.stdio) pipe?.on('error', () => undefined)
    child.stdin.end(input)
  })
}
