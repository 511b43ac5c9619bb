import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { processUse } from '../host/process-use.ts'
import type { Images } from '../images/images.ts'
import { ExecutorRefused, SandboxUnknown } from '../port/errors.ts'
import type { PackageMirror } from '../port/package-mirror.ts'
import type { Builder, Runner } from '../port/platform.ts'
import type { LogPart } from '../port/results.ts'
import { type JsonAnswers, logStartHeader } from '../protocol/answers.ts'
import { failureAnswer } from '../protocol/failures.ts'
import { type AgentRequest, requestOf, unknownRequest } from '../protocol/requests.ts'
import { readStart } from '../protocol/start-body.ts'
import { fileOf, folderOf, logOf, logSince, type Output, treeOf } from './records/outputs.ts'
import { isReserved, type Sandboxes } from './sandboxes/sandboxes.ts'

interface Services {
  sandboxes: Sandboxes
  images: Images
  runner: Runner
  builder: () => Promise<Builder>
  mirrors: () => Promise<PackageMirror[]>
  /** Receives internal failures, which the caller sees only as status 500. */
  onError: (error: unknown) => void
}

type Answer =
  | { json: JsonAnswers[keyof JsonAnswers] }
  | { part: LogPart }
  | { output: Output }
  | { openUntil: Promise<void> }
  | 'no content'

/** The agent's protocol: plain HTTP on a unix socket. The permissions of the socket decide who may connect. */
export function agentServer(services: Services): Server {
  const server = createServer((request, response) => {
    void answer(services, request, response)
  })
  // No timeout: inputs and images may be slow, and a wait lasts as long as its sandbox.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  return server
}

async function answer(services: Services, message: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const request = requestOf(message.method ?? '', message.url ?? '')
    // Callers cannot reach internal sandboxes.
    if ('id' in request && isReserved(request.id)) throw unknownRequest()
    await send(response, await answerTo(services, request, message))
  } catch (error) {
    if (response.headersSent) {
      response.destroy()
      return
    }
    if (!(error instanceof SandboxUnknown || error instanceof ExecutorRefused)) services.onError(error)
    const { status, body } = failureAnswer(error)
    sendJson(response, status, body)
  }
}

async function answerTo(
  { sandboxes, images, runner, builder, mirrors }: Services,
  request: AgentRequest,
  message: IncomingMessage,
): Promise<Answer> {
  switch (request.kind) {
    case 'capacity':
      return { json: sandboxes.capacity() }
    case 'runner':
      return { json: runner }
    case 'builder':
      return { json: await builder() }
    case 'mirrors':
      return { json: await mirrors() }
    case 'process':
      return { json: processUse() }
    case 'list':
      return { json: sandboxes.list() }
    case 'start':
      return startOf(sandboxes, request.id, message)
    case 'wait':
      return { json: await sandboxes.wait(request.id) }
    case 'stop':
      return noContent(sandboxes.stop(request.id))
    case 'terminate':
      return noContent(sandboxes.terminate(request.id))
    case 'forbid':
      return { json: await sandboxes.forbid(request.id) }
    case 'log':
      return { output: logOf(sandboxes.find(request.id)) }
    case 'logSince':
      return { part: await logSince(sandboxes.find(request.id), request) }
    case 'file':
      return { output: await fileOf(sandboxes.find(request.id), request.name) }
    case 'tree':
      return { output: await treeOf(sandboxes.find(request.id)) }
    case 'folder':
      return { output: await folderOf(sandboxes.find(request.id)) }
    case 'remove':
      return noContent(sandboxes.remove(request.id))
    case 'hasImage':
      return { json: await images.has(request.digest) }
    case 'installImage':
      return noContent(images.install(request.digest, message, request.lower))
    case 'removeImage':
      return noContent(images.remove(request.digest))
  }
}

async function startOf(sandboxes: Sandboxes, id: string, message: IncomingMessage): Promise<Answer> {
  const { spec, masked, known, stdin } = await readStart(message.headers, message)
  if ((spec as { id?: unknown } | null)?.id !== id) {
    throw new ExecutorRefused('spec_invalid', 'the specification has another id than the path')
  }
  const { inputTaken } = await sandboxes.start(spec, { stdin, masked, known })
  return { openUntil: inputTaken }
}

async function noContent(work: Promise<void>): Promise<Answer> {
  await work
  return 'no content'
}

async function send(response: ServerResponse, found: Answer): Promise<void> {
  if (found === 'no content') response.writeHead(204).end()
  else if ('part' in found) sendPart(response, found.part)
  else if ('output' in found) await sendOutput(response, found.output)
  else if ('openUntil' in found) await answerEarly(response, found.openUntil)
  else sendJson(response, 200, found.json)
}

async function sendOutput(response: ServerResponse, output: Output): Promise<void> {
  if (Buffer.isBuffer(output)) response.writeHead(200, { 'content-length': output.length }).end(output)
  else await pipeline(output, response.writeHead(200))
}

/**
 * Sends the response head now and ends the response later: Node discards the body of a request once its response has ended,
 * so the rest of the input, or its truncation, would be lost.
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
