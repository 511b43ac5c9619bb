import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { ExecutorRefused } from '../../port/errors.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'

/*
 * The body of a start is the specification, the values to mask and the program's input, concatenated. Headers have the
 * lengths of the first two.
 */

export const specBytesHeader = 'x-spec-bytes'
export const maskedBytesHeader = 'x-masked-bytes'
const maxSpecBytes = 4 * 1024 * 1024
const maxMaskedBytes = 4 * 1024 * 1024

/** The body and headers of a start: one buffer if the input is a buffer. */
export function startBody(
  spec: SandboxSpec,
  stdin: Buffer | Readable,
  masked: readonly string[],
): { headers: Record<string, number>; body: Buffer | Readable } {
  const [first, second] = [spec, masked].map((part) => Buffer.from(JSON.stringify(part))) as [Buffer, Buffer]
  const headers = { [specBytesHeader]: first.length, [maskedBytesHeader]: second.length }
  const head = Buffer.concat([first, second])
  return {
    headers,
    body: Buffer.isBuffer(stdin) ? Buffer.concat([head, stdin]) : Readable.from(joined(head, stdin)),
  }
}

async function* joined(head: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield head
  for await (const chunk of rest) yield chunk as Buffer
}

/** Parses a start request. The specification is not checked yet. Throws `ExecutorRefused` with `spec_invalid`. */
export async function readStart(
  headers: IncomingHttpHeaders,
  chunks: AsyncIterable<Buffer>,
): Promise<{ spec: unknown; masked: string[]; stdin: AsyncIterable<Buffer> }> {
  const body = chunks[Symbol.asyncIterator]()
  const first = await readJson(body, Number(headers[specBytesHeader]), maxSpecBytes)
  const second = await readJson(first.rest, Number(headers[maskedBytesHeader]), maxMaskedBytes)
  const { value: masked, rest } = second
  if (!Array.isArray(masked) || masked.some((value) => typeof value !== 'string')) {
    throw new ExecutorRefused('spec_invalid', 'the values to mask are not a list of strings')
  }
  return { spec: first.value, masked, stdin: rest }
}

/** Reads JSON of `size` bytes from the start of the body. */
async function readJson(
  body: AsyncIterator<Buffer>,
  size: number,
  maxSize: number,
): Promise<{ value: unknown; rest: AsyncIterableIterator<Buffer> }> {
  if (!Number.isSafeInteger(size) || size < 2 || size > maxSize) {
    throw new ExecutorRefused('spec_invalid', 'the length of the specification is missing')
  }
  let read: Buffer = Buffer.alloc(0)
  while (read.length < size) {
    const next = await body.next()
    if (next.done) throw new ExecutorRefused('spec_invalid', 'the specification is truncated')
    read = read.length === 0 ? next.value : Buffer.concat([read, next.value])
  }
  const first = read.subarray(size)
  async function* rest() {
    if (first.length > 0) yield first
    for (let next = await body.next(); !next.done; next = await body.next()) yield next.value
  }
  try {
    return { value: JSON.parse(read.subarray(0, size).toString('utf8')), rest: rest() }
  } catch {
    throw new ExecutorRefused('spec_invalid', 'the specification is not JSON')
  }
}
