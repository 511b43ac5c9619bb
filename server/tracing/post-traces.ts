import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'

export interface Collector {
  /** Base address, with or without a slash at its end. */
  endpoint: string
  headers: Record<string, string>
  /** PEM file of its certificate authority. Absent: those of the system. */
  caFile?: string | undefined
}

/** `later`: the same request may succeed. Spans that the collector refused are not sent again. */
export type Receipt = { refusedSpans: number } | 'later' | 'refused'

/** From the connection to the end of the answer. */
const timeoutMs = 10_000
const answerMaxBytes = 64 * 1024
/** Statuses that the protocol declares as temporary. */
const temporary = new Set([429, 502, 503, 504])

/** Sends the body of an OTLP request. It throws if no whole answer comes in time, or before the signal fires. */
export type PostTraces = (body: string, stopping: AbortSignal) => Promise<Receipt>

/** Sends over one connection that is kept. */
export function tracesPoster({ endpoint, headers, caFile }: Collector): PostTraces {
  const url = new URL(`${endpoint.replace(/\/$/, '')}/v1/traces`)
  const isTls = url.protocol === 'https:'
  const kept = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1 }
  const agent = isTls ? new TlsAgent(kept) : new Agent(kept)
  return async (body, stopping) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const length = Buffer.byteLength(body)
    const sent = (isTls ? tlsRequest : plainRequest)(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
      agent,
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping]),
      // Read each time, so that it may be replaced.
      ...(isTls && caFile && { ca: readFileSync(caFile) }),
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end(body)
    return receiptOf(await promise)
  }
}

async function receiptOf(response: IncomingMessage): Promise<Receipt> {
  let bytes = 0
  response.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > answerMaxBytes) response.destroy(new Error('the answer is too long'))
  })
  const answer = await buffer(response)
  const { statusCode: status = 0 } = response
  if (temporary.has(status)) return 'later'
  return status >= 200 && status < 300 ? { refusedSpans: refusedIn(answer.toString('utf8')) } : 'refused'
}

/** `partialSuccess` of `ExportTraceServiceResponse`. A collector may answer with an empty body. */
function refusedIn(answer: string): number {
  try {
    const refused = Number(JSON.parse(answer)?.partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(refused) && refused > 0 ? refused : 0
  } catch {
    return 0
  }
}
