import { createHash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { SchemaThreads } from './schema-threads.ts'

const threads = new SchemaThreads()
afterAll(() => threads.close())

const bounds = { maxBytes: 2 * 1024 * 1024, maxDepth: 80, maxNodes: 120_000, acceptProto: true }
const parse = (text: string, limits = {}) =>
  threads.ask('company', { body: new Uint8Array(Buffer.from(text)), bounds: { ...bounds, ...limits } })
const rows = Array.from({ length: 20_000 }, (_, at) => ({ text: `é ${at}`, at }))
const canonical = JSON.stringify(rows.map(({ at, text }) => ({ at, text })))

it('returns the canonical bytes of a large input in the place of its value', async () => {
  const parsed = await parse(JSON.stringify({ other: 'a', input: rows }))
  if (parsed.kind !== 'body' || !parsed.input || 'problems' in parsed.input) throw new Error(parsed.kind)
  expect(parsed.value).toEqual({ other: 'a', input: null })
  expect(Buffer.from(parsed.input.content).toString()).toBe(canonical)
  expect(parsed.input.digest).toBe(`sha256:${createHash('sha256').update(canonical).digest('hex')}`)
})

it('returns a small input, and a body without one, as values', async () => {
  const padding = ' '.repeat(100_000)
  for (const body of [{ input: {} }, { input: null }, { script: 'a'.repeat(100_000) }, [1], 'x']) {
    expect(await parse(padding + JSON.stringify(body))).toEqual({ kind: 'body', value: body })
  }
})

it('keeps the key __proto__ an ordinary key', async () => {
  const parsed = await parse('{"__proto__":{"admin":true},"a":{"__proto__":1}}')
  const value = (parsed.kind === 'body' ? parsed.value : {}) as Record<string, object>
  expect(Object.getOwnPropertyNames(value)).toEqual(['__proto__', 'a'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.getOwnPropertyNames(value.a)).toEqual(['__proto__'])
  expect((value as { admin?: boolean }).admin).toBeUndefined()
})

it('refuses what the strict parser refuses, with the same place', async () => {
  expect(await parse('{"input":[{"a":1,"a":2}]}')).toEqual({
    kind: 'body_refused',
    slug: 'duplicate_key',
    at: 17,
    path: ['input', 0, 'a'],
  })
  expect(await parse('[1,2]', { maxNodes: 2 })).toMatchObject({ slug: 'too_many_nodes' })
})

it('reports an input beyond its own limits as problems for the use case', async () => {
  const many = JSON.stringify({ input: Array(100_001).fill(1) })
  expect(await parse(many)).toMatchObject({
    kind: 'body',
    value: { input: null },
    input: { problems: [{ type: 'too_many_nodes', loc: ['body', 'input'] }] },
  })
})

it('refuses many values beside the input', async () => {
  const body = JSON.stringify({ a: Array(20_000).fill([]), input: 1 })
  expect(await parse(body)).toMatchObject({ kind: 'body_refused', slug: 'too_many_nodes' })
})
