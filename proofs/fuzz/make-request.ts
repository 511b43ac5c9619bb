import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { SeededRandom } from '../../server/base/seeded-random.ts'
import { idsFor, kinds, parametersOf, variantsOf } from '../conformance/example-ids.ts'
import { exampleCall } from '../conformance/expectations/expectation.ts'
import { expectations } from '../conformance/expectations/index.ts'
import type { World } from '../conformance/world.ts'
import { hostileValues } from './hostile-values.ts'
import { mutate } from './mutate.ts'

export interface FuzzedRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload?: Buffer
}

/** A well-formed request for the route, with any number of its parts mutated. */
export function makeRequest(draw: SeededRandom, world: World, name: string, route: Route): FuzzedRequest {
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

const pathPart = (draw: SeededRandom, id: string): string => {
  if (draw.chance(0.95)) return encodeURIComponent(id)
  return draw.chance(0.5) ? draw.of(oddParts) : `${encodeURIComponent(id)}${draw.of(oddParts)}`
}

/** Query parameters that the route knows, sometimes with other values. */
function queryOf(draw: SeededRandom, route: Route, example: Record<string, string | string[]> = {}): string {
  const pairs = Object.entries(example).map(([name, value]): [string, string] => [name, String(value)])
  const known = Object.keys(route.query ? propertiesOf(route.query) : {})
  for (const name of [...known, 'unknown']) {
    if (draw.chance(0.12)) pairs.push([name, queryValue(draw)])
  }
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

const propertiesOf = (schema: object): object => ('properties' in schema ? (schema.properties as object) : {})

const queryValue = (draw: SeededRandom): string => {
  const value = draw.of(hostileValues)
  return draw.chance(0.4) ? String(draw.below(120)) : (JSON.stringify(value) ?? '').slice(0, 4000)
}

function payloadOf(draw: SeededRandom, example: ReturnType<typeof exampleCall>): Buffer | undefined {
  const bytes = example.bytes ?? example.file
  if (bytes) return draw.chance(0.5) ? bytes : Buffer.from(JSON.stringify(draw.of(hostileValues)))
  if (example.body === undefined && draw.chance(0.8)) return undefined
  let body: unknown = example.body ?? {}
  while (draw.chance(0.6)) body = mutate(draw, body)
  const text = JSON.stringify(body) ?? ''
  if (draw.chance(0.9)) return Buffer.from(text)
  return Buffer.from(brokenText(draw, text))
}

/** Invalid or ambiguous JSON. */
const brokenText = (draw: SeededRandom, text: string): string | Uint8Array =>
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

const contentType = (draw: SeededRandom, route: Route): Record<string, string> => {
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

const headersOf = (draw: SeededRandom, example: Record<string, string> = {}): Record<string, string> => ({
  ...example,
  ...(draw.chance(0.08) && draw.of(oddHeaders)),
})
