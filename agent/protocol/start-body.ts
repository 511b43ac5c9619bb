import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { ExecutorRefused } from '../port/errors.ts'
import { knownContentsMax, knownRecordBytes, knownRecords } from '../port/known-contents.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import type { ProgramInput } from '../port/start-input.ts'

/*
 * The body of a start is the specification, the values to mask, the records of known contents and the program's input,
 * concatenated. Headers have the lengths of the first three.
 */

export const specBytesHeader = 'x-spec-bytes'
export const maskedBytesHeader = 'x-masked-bytes'
export const knownBytesHeader = 'x-known-bytes'
const maxSpecBytes = 4 * 1024 * 1024
const maxMaskedBytes = 4 * 1024 * 1024
const maxKnownBytes = knownContentsMax * knownRecordBytes

/** The body and headers of a start: one buffer if the input is a buffer. */
export function startBody(
  spec: SandboxSpec,
  { bytes, masked = [], known = [] }: ProgramInput,
): { headers: Record<string, number>; body: Buffer | Readable } {
  const [first, second] = [spec, masked].map((part) => Buffer.from(JSON.stringify(part))) as [Buffer, Buffer]
  const third = knownRecords(known)
  const headers = {
    [specBytesHeader]: first.length,
    [maskedBytesHeader]: second.length,
    [knownBytesHeader]: third.length,
  }
  const head = Buffer.concat([first, second, third])
  return {
    headers,
    body: Buffer.isBuffer(bytes) ? Buffer.concat([head, bytes]) : Readable.from(joined(head, bytes)),
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
): Promise<{ spec: unknown; masked: string[]; known: Buffer; stdin: AsyncIterable<Buffer> }> {
  const body = chunks[Symbol.asyncIterator]()
  const first = await readJson(body, Number(headers[specBytesHeader]), maxSpecBytes)
  const second = await readJson(first.rest, Number(headers[maskedBytesHeader]), maxMaskedBytes)
  const { value: masked } = second
  if (!Array.isArray(masked) || masked.some((value) => typeof value !== 'string')) {
    throw new ExecutorRefused('spec_invalid', 'the values to mask are not a list of strings')
  }
  const knownBytes = Number(headers[knownBytesHeader])
  if (knownBytes % knownRecordBytes !== 0)
    throw new ExecutorRefused('spec_invalid', 'the known contents are no whole records')
  const { bytes: known, rest } = await readPart(second.rest, knownBytes, { min: 0, max: maxKnownBytes })
  return { spec: first.value, masked, known, stdin: rest }
}

/** Reads JSON of `size` bytes from the start of the body. */
async function readJson(
  body: AsyncIterator<Buffer>,
  size: number,
  maxSize: number,
): Promise<{ value: unknown; rest: AsyncIterableIterator<Buffer> }> {
  const { bytes, rest } = await readPart(body, size, { min: 2, max: maxSize })
  try {
    return { value: JSON.parse(bytes.toString('utf8')), rest }
  } catch {
    throw new ExecutorRefused('spec_invalid', 'the specification is not JSON')
  }
}

async function readPart(
  body: AsyncIterator<Buffer>,
  size: number,
  { min, max }: { min: number; max: number },
): Promise<{ bytes: Buffer; rest: AsyncIterableIterator<Buffer> }> {
  if (!Number.isSafeInteger(size) || size < min || size > max) {
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
  return { bytes: read.subarray(0, size), rest: rest() }
}
