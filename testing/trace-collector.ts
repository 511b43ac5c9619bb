import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Ajv } from 'ajv'

const text = { type: 'string' }
const hex = (digits: number) => ({ type: 'string', pattern: `^(?!0+$)[0-9a-f]{${digits}}$` })
const uint64 = { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' }
const message = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
})
const listOf = (items: object) => ({ type: 'array', minItems: 1, items })
const attributes = listOf(
  message({
    key: { type: 'string', minLength: 1 },
    value: {
      oneOf: [message({ stringValue: text }), message({ intValue: { type: 'string', pattern: '^-?\\d+$' } })],
    },
  }),
)
const span = message(
  {
    traceId: hex(32),
    spanId: hex(16),
    name: { type: 'string', minLength: 1 },
    kind: { type: 'integer', minimum: 1, maximum: 5 },
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
  },
  {
    parentSpanId: hex(16),
    flags: { type: 'integer', minimum: 0, maximum: 0x3ff },
    attributes,
    links: listOf(message({ traceId: hex(32), spanId: hex(16) })),
    status: message({ code: { enum: [0, 1, 2] } }, { message: text }),
  },
)
/** `ExportTraceServiceRequest` of opentelemetry-proto 1.x in JSON, with the fields that the service uses and no others. */
const isRequest = new Ajv().compile(
  message({
    resourceSpans: listOf(
      message({
        resource: message({ attributes }),
        scopeSpans: listOf(message({ scope: message({ name: text }), spans: listOf(span) })),
      }),
    ),
  }),
)

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, string>
  links?: { traceId: string; spanId: string }[]
  status?: { code: number; message?: string }
}

/** A receiver of OTLP over HTTP that refuses what the protocol does not allow. */
export async function startTraceCollector() {
  const spans: ReceivedSpan[] = []
  const resources: Record<string, string>[] = []
  const requests: { headers: IncomingHttpHeaders; spans: number }[] = []
  const faults: string[] = []
  /** Answers in place of 200. */
  let answer: { status: number; body?: object } | 'never' = { status: 200 }
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.method !== 'POST' || request.url !== '/v1/traces')
        faults.push(`${request.method} ${request.url}`)
      if (request.headers['content-type'] !== 'application/json') faults.push('the type of the content')
      const sent = JSON.parse(body.toString())
      if (!isRequest(sent)) faults.push(JSON.stringify(isRequest.errors))
      const taken = received(sent)
      requests.push({ headers: request.headers, spans: taken.length })
      if (answer === 'never') return
      if (answer.status === 200) {
        spans.push(...taken)
        resources.push(recordOf(sent.resourceSpans[0].resource.attributes))
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body ?? {}))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, resources, requests, faults },
    answerWith: (next: typeof answer) => {
      answer = next
    },
    /** The spans of a trace, and everything about them that breaks the model of traces. */
    trace: (traceId: string) => {
      const own = spans.filter((each) => each.traceId === traceId)
      return { spans: own, faults: faultsOf(own) }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface SentAttribute {
  key: string
  value: Record<string, string>
}
const recordOf = (sent: SentAttribute[] = []): Record<string, string> =>
  Object.fromEntries(sent.map(({ key, value }) => [key, Object.values(value)[0] ?? '']))

const received = (sent: {
  resourceSpans: { scopeSpans: { spans: (ReceivedSpan & { attributes: unknown })[] }[] }[]
}): ReceivedSpan[] =>
  sent.resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((each) => ({ ...each, attributes: recordOf(each.attributes as unknown as SentAttribute[]) }))

function faultsOf(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((each) => [each.spanId, each]))
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
  return [
    ...(byId.size === spans.length ? [] : ['an id is used twice']),
    ...(roots.length === 1 ? [] : [`${roots.length} roots`]),
    ...spans.flatMap((each) => {
      const parent = byId.get(each.parentSpanId ?? '')
      const [start, end] = [BigInt(each.startTimeUnixNano), BigInt(each.endTimeUnixNano)]
      return [
        ...(start > end ? [`${each.name} ends before it starts`] : []),
        ...(each.parentSpanId !== undefined && !parent ? [`${each.name} has no parent`] : []),
        ...(parent && start < BigInt(parent.startTimeUnixNano)
          ? [`${each.name} starts before ${parent.name}`]
          : []),
      ]
    }),
  ]
}
