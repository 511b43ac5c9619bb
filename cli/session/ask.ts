import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CliError, exitCodes } from '../failure.ts'

/** Asks at the terminal; fails without one. */
export async function askLine(question: string): Promise<string> {
  if (process.stdin.isTTY !== true) throw noTerminal('the login name with --user')
  return ask(question, process.stderr)
}

/** Reads a password without echo, or the first line of standard input if that is not a terminal. */
export async function readPassword(question: string): Promise<string> {
  if (process.stdin.isTTY !== true) return firstLine()
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const answer = await ask('', silent)
  process.stderr.write('\n')
  return answer
}

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  lines.on('SIGINT', () => {
    process.stderr.write('\n')
    process.exit(130)
  })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

const passwordMaxBytes = 4096

async function firstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.includes('\n') || text.length > passwordMaxBytes) break
  }
  const line = text.split(/\r?\n/, 1)[0] ?? ''
  if (line === '') throw noTerminal('the password on standard input or in SANDBOX_PASSWORD')
  return line
}

const noTerminal = (what: string) =>
  new CliError('This needs a terminal.', {
    hint: `Without one, give ${what}.`,
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
