import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import { escapeLines } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'

/** Opens what a public link stands for, at the address of the session and with no credentials. */
export async function download(
  { publicClient }: Session,
  token: string,
): Promise<ReadableStream<Uint8Array>> {
  const response = await publicClient.call(allRoutes.downloadByToken, { params: { token } })
  if (response.body) return response.body
  throw new CliError('The service sent nothing for the link.', { hint: 'Try again.', code: 'cli_download' })
}

/**
 * Shows bytes of a job on standard output: as they are in a pipe or a file, with every control character spelled out
 * on a terminal, which they could otherwise take over.
 */
export async function showBytes(bytes: ReadableStream<Uint8Array>): Promise<void> {
  const parts: AsyncIterable<string | Uint8Array> = process.stdout.isTTY === true ? escapedText(bytes) : bytes
  let endsLine = true
  for await (const part of parts) {
    if (part.length > 0) endsLine = part.at(-1) === '\n'
    if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  // In a terminal the next prompt belongs on a line of its own.
  if (process.stdout.isTTY === true && !endsLine) process.stdout.write('\n')
}

/** Text of a stream, escaped; a line end is never cut in two. */
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

/** All bytes of a stream as text, at most `maxBytes` of them. */
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
  new CliError(`It is longer than ${maxBytes} bytes.`, { hint: 'Leave --json out.', code: 'cli_download' })
