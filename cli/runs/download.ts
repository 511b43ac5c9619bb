import { CliError } from '../failure.ts'
import { escapeLines } from '../output/escape-controls.ts'

/** The bytes of a response of the service. */
export function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body) return body
  throw new CliError('The service sent nothing.', { hint: 'Try again.', code: 'cli_download' })
}

/** The time of the file in a response of the service, if it is known. */
export function modifiedAtOf({ headers }: Response): Date | undefined {
  const time = new Date(headers.get('last-modified') ?? '')
  return Number.isNaN(time.getTime()) ? undefined : time
}

/**
 * Prints bytes of a job to standard output: unchanged into a pipe or file, with control characters escaped on a
 * terminal, which they could otherwise take over. `onOpenLine` is called where they end within a line.
 */
export async function showBytes(
  bytes: ReadableStream<Uint8Array>,
  onOpenLine: () => void = () => undefined,
): Promise<void> {
  const parts: AsyncIterable<string | Uint8Array> = process.stdout.isTTY === true ? escapedText(bytes) : bytes
  let endsLine = true
  for await (const part of parts) {
    if (part.length > 0) endsLine = part.at(-1) === '\n'
    if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  // The next prompt of the terminal must start on a new line.
  if (endsLine) return
  if (process.stdout.isTTY === true) process.stdout.write('\n')
  else onOpenLine()
}

/** The escaped text of a stream. A line end is never split. */
export async function* escapedText(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of bytes) {
    const text = held + decoder.decode(chunk, { stream: true })
    held = text.endsWith('\r') ? '\r' : ''
    yield escapeLines(held === '' ? text : text.slice(0, -1))
  }
  yield escapeLines(held + decoder.decode())
}

/** The whole stream as text, at most `maxBytes`. */
export async function textOf(bytes: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxBytes) throw tooLong(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tooLong = (maxBytes: number) =>
  new CliError(`The content is longer than ${maxBytes} bytes.`, {
    hint: 'Run the command without --json.',
    code: 'cli_download',
  })
