import { readFile } from 'node:fs/promises'
import { secretPlaintextMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { CliError, exitCodes } from '../failure.ts'
import { readPassword } from '../session/ask.ts'

/**
 * A value from a file, from standard input, or from the terminal without echo: never from the command line, which others on
 * the machine can read. One line feed at its end is dropped unless it is kept on purpose.
 */
export async function readSecretValue(options: { file?: string; keepNewline?: boolean }): Promise<string> {
  if (options.file === undefined && process.stdin.isTTY === true) return readPassword('Value: ')
  const bytes = await bytesOf(options.file)
  if (bytes.length > secretPlaintextMaxBytes + 2) throw wrongValue('A value has at most 64 KiB.')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrongValue('A value is text in UTF-8.')
  }
  return options.keepNewline ? text : text.replace(/\r?\n$/, '')
}

async function bytesOf(file: string | undefined): Promise<Buffer> {
  if (file !== undefined && file !== '-')
    return readFile(file).catch(() => {
      throw wrongValue(`The file ${file} cannot be read.`)
    })
  const parts: Buffer[] = []
  let length = 0
  for await (const part of process.stdin) {
    parts.push(part as Buffer)
    length += (part as Buffer).length
    if (length > secretPlaintextMaxBytes + 2) break
  }
  return Buffer.concat(parts)
}

const wrongValue = (message: string) =>
  new CliError(message, {
    hint: 'Give the value on standard input, or a file that holds it with --file.',
    code: 'cli_secret_value',
    exitCode: exitCodes.usage,
  })
