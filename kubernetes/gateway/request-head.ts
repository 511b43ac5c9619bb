import type { IncomingMessage } from 'node:http'
import { GatewayRefused, invalid } from './gateway-errors.ts'
import { type GatewayRequest, type Route, routes } from './routes.ts'

type Head = Omit<GatewayRequest, 'body' | 'gone'> & { route: Route }

/** The name of a pod, a word, and for a file its number. Nothing in it is decoded: an encoded path is another one. */
const pathForm = /^\/runner\/v1\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\/([a-z-]{1,16})(?:\/(0|[1-9]\d?))?$/
const queryForm = /^([a-z]{1,8})=(0|[1-9]\d{0,14})$/
const queriesOf: Readonly<Record<string, readonly string[]>> = {
  'GET control': ['stop', 'follow'],
  'PUT log': ['from'],
}
const bearerForm = /^Bearer ([\w.~+/=-]{1,7000})$/

/** Reads the head of a request; throws `GatewayRefused`. */
export function headOf({ method = '', url = '', headers, httpVersion }: IncomingMessage): Head {
  const [path = '', ...queries] = url.split('?')
  const [, pod, word = '', number] = pathForm.exec(path) ?? []
  const name = `${method} ${word}`
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (pod === undefined || !route || (word === 'files') !== (number !== undefined))
    throw new GatewayRefused(404, 'unknown')
  const query = queryOf(queries, queriesOf[name] ?? [])
  if (number !== undefined) query.set('at', Number(number))
  // A length beside chunks is how two readers of a request come to differ.
  if (httpVersion !== '1.1' || headers['transfer-encoding'] !== undefined || headers.expect !== undefined)
    throw invalid()
  const bearer = bearerForm.exec(headers.authorization ?? '')?.[1] ?? ''
  return { route, id: pod.replaceAll('-', '_'), bearer, query, bodyBytes: bodyBytesOf(method, headers) }
}

function queryOf(queries: readonly string[], names: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  if (queries.length === 0) return found
  if (queries.length > 1) throw invalid()
  for (const part of (queries[0] ?? '').split('&')) {
    const [, name = '', value] = queryForm.exec(part) ?? []
    if (!names.includes(name) || found.has(name)) throw invalid()
    found.set(name, Number(value))
  }
  return found
}

function bodyBytesOf(method: string, headers: IncomingMessage['headers']): number {
  const length = headers['content-length']
  if (length === undefined) {
    if (method === 'GET') return 0
    throw new GatewayRefused(411, 'length_required')
  }
  const bytes = Number(length)
  if (!/^\d{1,15}$/.test(length) || (method === 'GET' && bytes > 0)) throw invalid()
  return bytes
}
