import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Builder, ExecutorRefused, type LogPart, type Runner, SandboxUnknown } from '../../port.ts'
import { imageDigestPattern, sandboxIdPattern } from '../spec-check.ts'
import type { Images } from './images.ts'
import { fileOf, logOf, logSince, treeOf } from './left-behind.ts'
import { isReserved, type Sandboxes } from './sandboxes.ts'

/** Header with the length of the spec that comes before the input in the body of a start. */
export const specBytesHeader = 'x-spec-bytes'
/** The same of the values that the log is not to show, which come between the two. */
export const maskedBytesHeader = 'x-masked-bytes'
/** Header with the place of a log part's first byte. */
export const logStartHeader = 'x-log-start'
const maxSpecBytes = 4 * 1024 * 1024
const maxMaskedBytes = 4 * 1024 * 1024

interface Services {
  sandboxes: Sandboxes
  images: Images
  runner: Runner
  builder: () => Promise<Builder>
  /** Told about failures that are no answer to the caller's request. */
  onError: (error: unknown) => void
}

type Answer =
  | { json: unknown }
  | { part: LogPart }
  | { stream: Readable }
  | { openUntil: Promise<void> }
  | undefined

/** The agent's protocol: plain HTTP on a unix socket whose permissions say who may speak. */
export function agentServer(services: Services): Server {
  const server = createServer((request, response) => {
    void answer(services, request, response)
  })
  // An input or an image may take as long as it takes; a wait lasts as long as its sandbox.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  return server
}

async function answer(services: Services, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const found = await dispatch(services, request)
    if (found === undefined) response.writeHead(204).end()
    else if ('part' in found) sendPart(response, found.part)
    else if ('stream' in found) await pipeline(found.stream, response.writeHead(200))
    else if ('openUntil' in found) await answerEarly(response, found.openUntil)
    else sendJson(response, 200, found.json)
  } catch (error) {
    if (response.headersSent) {
      response.destroy()
      return
    }
    if (error instanceof SandboxUnknown) sendJson(response, 404, { message: error.message })
    else if (error instanceof ExecutorRefused) {
      sendJson(response, 409, { slug: error.slug, message: error.message })
    } else {
      services.onError(error)
      sendJson(response, 500, { message: 'the host agent failed: its log tells why' })
    }
  }
}

/**
 * Tells the caller now and ends the answer later: Node gives up the body of a request as soon as its answer has ended, and
 * nobody would hear of what is still to come, or that it was cut.
 */
async function answerEarly(response: ServerResponse, openUntil: Promise<void>): Promise<void> {
  response.writeHead(200).flushHeaders()
  await openUntil
  response.end()
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}

function sendPart(response: ServerResponse, { start, bytes }: LogPart): void {
  response.writeHead(200, { [logStartHeader]: start, 'content-length': bytes.length }).end(bytes)
}

const logWaitMaxMs = 10_000

function wholeNumber(text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0 && value <= max) return value
  throw new ExecutorRefused('request_invalid', `${text} is no whole number up to ${max}`)
}

async function dispatch(services: Services, request: IncomingMessage): Promise<Answer> {
  const [, resource, name = '', action = '', part = '', wait = '0'] = partsOf(request.url ?? '')
  const method = request.method ?? ''
  if (resource === 'capacity') return { json: services.sandboxes.capacity() }
  if (resource === 'runner') return { json: services.runner }
  if (resource === 'builder') return { json: await services.builder() }
  if (resource === 'sandboxes' && name === '') return { json: services.sandboxes.list() }
  if (resource === 'sandboxes' && sandboxIdPattern.test(name) && !isReserved(name)) {
    return onSandbox(services.sandboxes, request, { id: name, verb: `${method} ${action}`, part, wait })
  }
  if (resource === 'images' && imageDigestPattern.test(name)) {
    return onImage(services.images, request, method, name)
  }
  throw new ExecutorRefused('request_invalid', 'the host agent does not know this request')
}

function partsOf(url: string): string[] {
  try {
    return url.split('/').map(decodeURIComponent)
  } catch {
    throw new ExecutorRefused('request_invalid', 'the path is not acceptable')
  }
}

async function onSandbox(
  sandboxes: Sandboxes,
  request: IncomingMessage,
  { id, verb, part, wait }: { id: string; verb: string; part: string; wait: string },
): Promise<Answer> {
  switch (verb) {
    case 'POST start': {
      const { spec, masked, stdin } = await readStart(request)
      if ((spec as { id?: unknown } | null)?.id !== id) {
        throw new ExecutorRefused('spec_invalid', 'the description is of another sandbox')
      }
      const { inputTaken } = await sandboxes.start(spec, { stdin, masked })
      return { openUntil: inputTaken }
    }
    case 'GET exit':
      return { json: await sandboxes.wait(id) }
    case 'POST stop':
      return nothing(sandboxes.stop(id))
    case 'POST forbid':
      return { json: await sandboxes.forbid(id) }
    case 'GET log':
      return { stream: logOf(sandboxes.find(id)) }
    case 'GET news': {
      const where = { position: wholeNumber(part), waitMs: wholeNumber(wait, logWaitMaxMs) }
      return { part: await logSince(sandboxes.find(id), where) }
    }
    case 'GET files':
      return { stream: await fileOf(sandboxes.find(id), part) }
    case 'GET tree':
      return { stream: await treeOf(sandboxes.find(id)) }
    case 'DELETE ':
      return nothing(sandboxes.remove(id))
    default:
      throw new ExecutorRefused('request_invalid', 'the host agent does not know this request')
  }
}

async function onImage(
  images: Images,
  request: IncomingMessage,
  method: string,
  digest: string,
): Promise<Answer> {
  if (method === 'GET') return { json: await images.has(digest) }
  if (method === 'PUT') return nothing(images.install(digest, request))
  if (method === 'DELETE') return nothing(images.remove(digest))
  throw new ExecutorRefused('request_invalid', 'the host agent does not know this request')
}

async function nothing(work: Promise<void>): Promise<undefined> {
  await work
  return undefined
}

/** What the body of a start holds, one after another: the spec, the values to mask, the program's input. */
async function readStart(
  request: IncomingMessage,
): Promise<{ spec: unknown; masked: string[]; stdin: AsyncIterable<Buffer> }> {
  const body = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await readJson(body, Number(request.headers[specBytesHeader]), maxSpecBytes)
  const second = await readJson(first.rest, Number(request.headers[maskedBytesHeader]), maxMaskedBytes)
  const { value: masked, rest } = second
  if (!Array.isArray(masked) || masked.some((value) => typeof value !== 'string')) {
    throw new ExecutorRefused('spec_invalid', 'the values to mask are no list of texts')
  }
  return { spec: first.value, masked, stdin: rest }
}

/** Takes JSON of `size` bytes off the front of the body. */
async function readJson(
  body: AsyncIterator<Buffer>,
  size: number,
  maxSize: number,
): Promise<{ value: unknown; rest: AsyncIterableIterator<Buffer> }> {
  if (!Number.isSafeInteger(size) || size < 2 || size > maxSize) {
    throw new ExecutorRefused('spec_invalid', 'the length of the description is missing')
  }
  let read: Buffer = Buffer.alloc(0)
  while (read.length < size) {
    const next = await body.next()
    if (next.done) throw new ExecutorRefused('spec_invalid', 'the description is cut')
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
    throw new ExecutorRefused('spec_invalid', 'the description is not JSON')
  }
}
