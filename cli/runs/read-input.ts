import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { runInputMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { CliError, exitCodes } from '../failure.ts'
import { bytesText } from '../output/sizes.ts'

export interface RunInput {
  value: unknown
  /** The text as written: the service rejects duplicates and rounding that another JSON parser would hide. */
  text: string
}

/**
 * Reads the input of a run: JSON text of an object or a list, else the name of a file; `-` is standard input. The service
 * validates it against the task's schema.
 */
export async function readInput(given: string): Promise<RunInput> {
  const isText = /^\s*[{[]/.test(given)
  const bytes = isText ? Buffer.from(given) : await bytesOf(given)
  const name = isText ? 'The text of --input' : given === '-' ? 'standard input' : given
  if (bytes.length > runInputMaxBytes) {
    throw wrongInput(
      `${name} has ${bytesText(bytes.length)}; an input has at most 1 MiB.`,
      'Send less per run.',
    )
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { value: JSON.parse(text), text }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw wrongInput(`${name} is not JSON: ${reason}`, 'The input of a run is one JSON value in UTF-8.')
  }
}

/** The body of a request with an input, and its text with the input as it was written: written again, a long number would be rounded. */
export function bodyWithInput<Fields extends object>(
  fields: Fields,
  { value, text }: RunInput,
): { body: Fields & { input: unknown }; bodyText: string } {
  const written = JSON.stringify(fields).slice(1, -1)
  return {
    body: { ...fields, input: value },
    bodyText: `{${written}${written === '' ? '' : ','}"input":${text}}`,
  }
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file)
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (gone)
      throw wrongInput(`There is no file ${file}.`, 'Name a file with the input, or - for standard input.')
    const reason = error instanceof Error ? error.message : String(error)
    throw wrongInput(`The input cannot be read: ${reason}`, 'Name a file, or - for standard input.')
  }
}

const wrongInput = (message: string, hint: string) =>
  new CliError(message, { hint, code: 'cli_input', exitCode: exitCodes.usage })
