import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Draw } from '../base/draw.ts'
import { idsFor, kinds, parametersOf, variantsOf } from '../conformance/example-ids.ts'
import { exampleCall, expectations } from '../conformance/expectations.ts'
import type { World } from '../conformance/world.ts'
import { hostileValues } from './hostile-values.ts'
import { mutate } from './mutate.ts'

export interface FuzzedRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload?: Buffer
}

/** A well-formed call of the route, changed in one or more of its parts, or in none. */
export function makeRequest(draw: Draw, world: World, name: string, route: Route): FuzzedRequest {
  const expectation = expectations[name]
  if (!expectation) throw new Error(`no expectation for ${name}`)
  const parameters = parametersOf(route, expectation)
  const variant = draw.of(variantsOf(parameters).filter(({ kind }) => kinds.includes(kind)))
  const ids = idsFor(parameters, draw.chance(0.7) ? { parameter: '', kind: 'own' } : variant, world)
  const example = exampleCall(expectation, world.own)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, id: string) => pathPart(draw, ids[id] ?? ''))
  const payload = payloadOf(draw, example)
  return {
    method: draw.chance(0.02) ? draw.of(['PUT', 'DELETE', 'PATCH', 'POST', 'GET']) : route.method,
    url: `${path}${queryOf(draw, route, example.query)}`,
    headers: { ...(payload && contentType(draw, route)), ...headersOf(draw, example.headers) },
    ...(payload && { payload }),
  }
}

const oddParts = [
  '%00',
  '%2e%2e%2f',
  '..%2f..%2f',
  '%ff',
  '%',
  '',
  'a'.repeat(130),
  '%F0%9F%98%80',
  "'",
  '*',
  '%0d%0a',
]

const pathPart = (draw: Draw, id: string): string => {
  if (draw.chance(0.95)) return encodeURIComponent(id)
  return draw.chance(0.5) ? draw.of(oddParts) : `${encodeURIComponent(id)}${draw.of(oddParts)}`
}

/** Names and values of the query that the route knows, each sometimes another one. */
function queryOf(draw: Draw, route: Route, example: Record<string, string | string[]> = {}): string {
  const pairs = Object.entries(example).map(([name, value]): [string, string] => [name, String(value)])
  const known = Object.keys(route.query ? propertiesOf(route.query) : {})
  for (const name of [...known, 'unknown']) {
    if (draw.chance(0.12)) pairs.push([name, queryValue(draw)])
  }
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

const propertiesOf = (schema: object): object => ('properties' in schema ? (schema.properties as object) : {})

const queryValue = (draw: Draw): string => {
  const value = draw.of(hostileValues)
  return draw.chance(0.4) ? String(draw.below(120)) : (JSON.stringify(value) ?? '').slice(0, 4000)
}

function payloadOf(draw: Draw, example: ReturnType<typeof exampleCall>): Buffer | undefined {
  const bytes = example.bytes ?? example.file
  if (bytes) return draw.chance(0.5) ? bytes : Buffer.from(JSON.stringify(draw.of(hostileValues)))
  if (example.body === undefined && draw.chance(0.8)) return undefined
  let body: unknown = example.body ?? {}
  while (draw.chance(0.6)) body = mutate(draw, body)
  const text = JSON.stringify(body) ?? ''
  if (draw.chance(0.9)) return Buffer.from(text)
  return Buffer.from(brokenText(draw, text))
}

/** JSON that is not quite JSON, or is two things at once. */
const brokenText = (draw: Draw, text: string): string | Uint8Array =>
  draw.of([
    '',
    text.slice(0, draw.below(text.length + 1)),
    `${text}${text}`,
    text.replace('{', '{"a":1,"a":2,'),
    text.replaceAll('"', "'"),
    `\ufeff${text}`,
    text.replace(/\d+/, '1e99999'),
    text.replace(/"/, '"\\u0000'),
    '['.repeat(50_000),
    Buffer.from([0xff, 0xfe, 0x00]),
    'NaN',
  ])

const contentType = (draw: Draw, route: Route): Record<string, string> => {
  const usual = {
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    multipart: 'multipart/form-data; boundary=b',
    'octet-stream': 'application/octet-stream',
  }[route.bodyKind ?? 'json']
  const odd = [
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data',
    'x',
    '',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
  ]
  return { 'content-type': draw.chance(0.93) ? usual : draw.of(odd) }
}

const oddHeaders: Record<string, string>[] = [
  { 'idempotency-key': '' },
  { 'idempotency-key': 'k'.repeat(200) },
  { authorization: 'Bearer' },
  { authorization: 'Bearer a.b.c' },
  { authorization: 'Basic YTpi' },
  { 'x-api-key': `sbx_${'A'.repeat(43)}` },
  { origin: 'null' },
  { 'x-sandbox-upload-capability': '' },
  { expect: '100-continue' },
  { 'x-http-method-override': 'DELETE' },
  { range: 'bytes=0-' },
  { 'accept-encoding': 'x'.repeat(3000) },
]

const headersOf = (draw: Draw, example: Record<string, string> = {}): Record<string, string> => ({
  ...example,
  ...(draw.chance(0.08) && draw.of(oddHeaders)),
})
