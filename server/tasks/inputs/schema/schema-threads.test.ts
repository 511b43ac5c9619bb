import { createServer } from 'node:http'
import type { SchemaQuestion } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { SchemaThreads } from './schema-threads.ts'
import type { Verdict } from './verdict.ts'

const thread = new SchemaThreads({ answerMs: 1000 })
afterAll(() => thread.close())

const ask = (schema: unknown, ...instance: unknown[]): Promise<Verdict> =>
  thread.ask<SchemaQuestion>('company', {
    schema: typeof schema === 'string' ? schema : JSON.stringify(schema),
    ...(instance.length > 0 && { instance: JSON.stringify(instance[0]) }),
  })

const rules = (verdict: Verdict) => ('problems' in verdict ? verdict.problems.map((found) => found.rule) : [])
const valid: Verdict = { kind: 'valid' }

describe('checking a tenant schema', () => {
  it('accepts a conforming instance and reports the locations of errors without values', async () => {
    const schema = {
      type: 'object',
      properties: { rows: { type: 'array', items: { properties: { amount: { minimum: 0 } } } } },
      required: ['rows'],
    }
    expect(await ask(schema, { rows: [{ amount: 1 }] })).toEqual(valid)
    const verdict = await ask(schema, { rows: [{ amount: 1 }, { amount: -123456 }] })
    expect(verdict).toEqual({
      kind: 'instance_invalid',
      problems: expect.arrayContaining([
        {
          at: ['rows', 1, 'amount'],
          rule: 'minimum',
          words: 'must be at least 0',
        },
      ]),
    })
    expect(JSON.stringify(verdict)).not.toContain('123456')
    expect(rules(await ask(schema, {}))).toEqual(['required'])
  })

  it('supports the keywords of draft 2020-12', async () => {
    expect(await ask({ prefixItems: [{ type: 'string' }], items: false }, ['a'])).toEqual(valid)
    expect((await ask({ prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).kind).toBe(
      'instance_invalid',
    )
    expect((await ask({ unevaluatedProperties: false, properties: { a: true } }, { b: 1 })).kind).toBe(
      'instance_invalid',
    )
    expect(await ask({ $schema: 'https://json-schema.org/draft/2020-12/schema' }, 1)).toEqual(valid)
  })

  it.each([
    ['no JSON', '{', 'bad_syntax'],
    ['a key that comes twice', '{"type":"string","type":"null"}', 'duplicate_key'],
    ['too deep', `${'{"not":'.repeat(65)}{}${'}'.repeat(65)}`, 'too_deep'],
    ['too large', JSON.stringify({ description: 'x'.repeat(65_536) }), 'too_large'],
  ])('calls unreadable: %s', async (_name, text, rule) => {
    expect(await ask(text)).toMatchObject({ kind: 'schema_unreadable', problems: [{ rule }] })
  })

  it.each([
    ['a list', '[]', 'not_an_object'],
    ['a boolean', 'true', 'not_an_object'],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'not_draft_2020_12'],
    ['another draft inside', { $defs: { a: { $id: 'a', $schema: 'urn:mine' } } }, 'not_draft_2020_12'],
    ['a dialect of its own', { $id: 'urn:mine', $vocabulary: {} }, 'vocabulary_forbidden'],
    ['an unknown type', { type: 'text' }, 'type'],
    ['a negative length', { properties: { a: { minLength: -1 } } }, 'minimum'],
    ['a broken pattern', { pattern: '(' }, 'regular_expression'],
    ['a reference to nowhere', { $ref: '#/$defs/missing' }, 'unusable'],
    ['a reference to itself', { $ref: '#' }, 'endless_reference'],
    ['a cycle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#' } } }, 'endless_reference'],
    ['a reference to a file', { $ref: 'file:///etc/passwd' }, 'unresolvable_reference'],
    ['a relative reference', { $ref: '../other.json' }, 'unresolvable_reference'],
  ])('refuses %s', async (_name, schema, rule) => {
    const verdict = await ask(schema)
    expect(verdict.kind).toBe('schema_invalid')
    expect(rules(verdict)).toContain(rule)
  })

  const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf']

  it.each(inherited)('treats the key %s as an ordinary key', async (key) => {
    const one = (value: string) => `{"${key}":${value}}`
    const parsed = (value: string) => JSON.parse(one(value))
    expect(await ask(`{"properties":${one('{"type":"string"}')}}`, parsed('"x"'))).toEqual(valid)
    const wrong = await ask(`{"properties":${one('{"type":"string"}')}}`, parsed('1'))
    expect('problems' in wrong && wrong.problems).toMatchObject([{ at: [key], rule: 'type' }])
    expect(await ask(`{"required":["${key}"]}`, parsed('1'))).toEqual(valid)
    expect(rules(await ask(`{"required":["${key}"]}`, {}))).toEqual(['required'])
    const closed = '{"properties":{"a":{}},"additionalProperties":false}'
    expect((await ask(closed, parsed('1'))).kind).toBe('instance_invalid')
    const evaluated = `{"properties":${one('{}')},"unevaluatedProperties":false}`
    expect(await ask(evaluated, parsed('1'))).toEqual(valid)
    expect(await ask(`{"const":${one('1')}}`, parsed('1'))).toEqual(valid)
    expect((await ask(`{"const":${one('1')}}`, {})).kind).toBe('instance_invalid')
    expect((await ask(`{"dependentRequired":${one('["b"]')}}`, parsed('1'))).kind).toBe('instance_invalid')
    const referring = `{"$defs":${one('{"type":"string"}')},"$ref":"#/$defs/${key}"}`
    expect(await ask(referring, 'x')).toEqual(valid)
    expect((await ask(referring, 1)).kind).toBe('instance_invalid')
    expect(await ask(one('{"type":"none"}'), 1)).toEqual(valid)
    expect(await ask('{"properties":{"a":{}}}', parsed('1'))).toEqual(valid)
  })

  it('never fetches a reference', async () => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests += 1
      response.setHeader('content-type', 'application/schema+json').end('{"type":"string"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const remote = `http://127.0.0.1:${port}/schema.json`
    const verdicts = [
      await ask({ $ref: remote }, 'x'),
      await ask({ $id: remote, $ref: 'other.json' }, 'x'),
      await ask({ $schema: remote }, 'x'),
      await ask({ $dynamicRef: remote }, 'x'),
    ]
    server.close()
    expect(verdicts.map((verdict) => verdict.kind)).toEqual(Array(4).fill('schema_invalid'))
    expect(requests).toBe(0)
  })

  it('ignores $async', async () => {
    expect((await ask({ $async: true, type: 'string' }, 1)).kind).toBe('instance_invalid')
  })

  it('isolates schemas with the same $id', async () => {
    const $id = 'https://example.com/shared'
    expect((await ask({ $id, type: 'string' }, 1)).kind).toBe('instance_invalid')
    expect(await ask({ $id, type: 'number' }, 1)).toEqual(valid)
    expect(rules(await ask({ $ref: $id }, 1))).toEqual(['unresolvable_reference'])
    const embedded = { $defs: { a: { $id, type: 'string' } }, $ref: $id }
    expect((await ask(embedded, 1)).kind).toBe('instance_invalid')
    expect(rules(await ask({ $ref: $id }, 'x'))).toEqual(['unresolvable_reference'])
  })

  it('does not let a schema replace the meta-schema', async () => {
    const $id = 'https://json-schema.org/draft/2020-12/schema'
    await ask({ $id, type: 'string' }, 'x')
    await ask({ $defs: { a: { $id, not: {} } } }, 'x')
    await ask({ $id: 'https://json-schema.org/draft/2020-12/meta/validation', not: {} }, 'x')
    expect(rules(await ask({ type: 'text' }))).toContain('type')
    expect(await ask({ type: 'string' }, 'x')).toEqual(valid)
  })

  it('shows at most twenty problems', async () => {
    const verdict = await ask({ items: { type: 'string' } }, Array(100).fill(1))
    expect(rules(verdict)).toHaveLength(20)
  })

  it('checks an input of the maximum size within the limit', async () => {
    const rows = Array.from({ length: 24_000 }, (_, index) => ({ id: index, name: 'n', on: true }))
    expect(await ask({ items: { type: 'object', required: ['id'] } }, rows)).toEqual(valid)
  })
})

describe('the bounds of the thread', () => {
  const catastrophe = { pattern: '^(?=a)(a+)+$' }
  const victim = `${'a'.repeat(40)}!`

  it('kills a regular expression with lookaround and endless backtracking, and answers the next question', async () => {
    const short = new SchemaThreads({ answerMs: 200 })
    expect(
      await short.ask('a', { schema: JSON.stringify(catastrophe), instance: JSON.stringify(victim) }),
    ).toEqual({
      kind: 'too_costly',
    })
    expect(await short.ask('a', { schema: '{"type":"string"}', instance: '"x"' })).toEqual(valid)
    await short.close()
  })

  it('matches other regular expressions in linear time, anywhere in a schema', async () => {
    const hostile = '^(a+)+$'
    const long = `${'a'.repeat(100_000)}`
    expect(await ask({ pattern: hostile }, long)).toEqual(valid)
    expect(rules(await ask({ pattern: hostile }, `${long}!`))).toEqual(['pattern'])
    const named = { patternProperties: { [hostile]: { type: 'number' } } }
    expect(rules(await ask(named, { [long]: 'x', [`${long}!`]: 'x' }))).toEqual(['type'])
    const only = { ...named, additionalProperties: false }
    expect(await ask(only, { [long]: 1 })).toEqual(valid)
    expect((await ask(only, { [`${long}!`]: 1 })).kind).toBe('instance_invalid')
  })

  it('counts only the processor time of the question itself', async () => {
    const neverRan = () => 0
    const starved = new SchemaThreads({ answerMs: 1, patienceMs: 10_000 }, neverRan)
    expect(await starved.ask('a', { schema: '{"type":"string"}', instance: '"x"' })).toEqual(valid)
    await starved.close()
  })

  it('returns busy if the thread gets no processor time for long', async () => {
    const neverRan = () => 0
    const starved = new SchemaThreads({ answerMs: 200, patienceMs: 200 }, neverRan)
    const question = { schema: JSON.stringify(catastrophe), instance: JSON.stringify(victim) }
    expect(await starved.ask('a', question)).toEqual({ kind: 'busy' })
    await starved.close()
  })

  it('kills a schema that doubles its work with every level', async () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= 40; level += 1) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] }
    }
    const short = new SchemaThreads({ answerMs: 200 })
    const schema = JSON.stringify({ $ref: '#/$defs/d40', $defs })
    expect(await short.ask('a', { schema, instance: '"x"' })).toEqual({ kind: 'too_costly' })
    await short.close()
  })

  it('ends a question that uses too much memory, and only its thread', async () => {
    const small = new SchemaThreads({ answerMs: 20_000, heapMib: 24 })
    const schema = JSON.stringify({ items: { allOf: Array(500).fill({ type: 'string' }) } })
    const value = Array(5000).fill(1)
    expect(await small.ask('a', { schema, instance: JSON.stringify(value) })).toEqual({ kind: 'too_costly' })
    expect(await small.ask('a', { schema: '{}', instance: '1' })).toEqual(valid)
    await small.close()
  })

  it('calls an instance that recurses past the stack too costly', async () => {
    const schema = {
      $defs: { up: { type: 'object', properties: { a: { $ref: '#/$defs/up' } }, $ref: '#' } },
      not: {},
    }
    expect((await ask(schema, {})).kind).toBe('instance_invalid')
    expect((await ask('{"if":{"type":"string"},"then":{"$ref":"#"}}', 'x')).kind).toBe('too_costly')
  })

  it('serves another lane before a company with active questions, and returns busy beyond the bound', async () => {
    const short = new SchemaThreads({ answerMs: 200, laneWaitingMax: 3, threads: 1 })
    const done: string[] = []
    const slow = Array.from({ length: 5 }, (_, index) =>
      short
        .ask('hostile', {
          schema: JSON.stringify(catastrophe),
          instance: JSON.stringify(`${victim}${index}`),
        })
        .then((verdict) => done.push(verdict.kind)),
    )
    const quick = short.ask('other', { schema: '{}', instance: '1' }).then(() => done.push('other'))
    await Promise.all([...slow, quick])
    expect(done).toEqual(['busy', 'too_costly', 'other', 'too_costly', 'too_costly', 'too_costly'])
    await short.close()
  })

  const costly = (schemas: SchemaThreads, company: string, index: number) =>
    schemas.ask(company, {
      schema: JSON.stringify(catastrophe),
      instance: JSON.stringify(`${victim}${company}${index}`),
    })

  it('answers a company at once while others have costly questions waiting', async () => {
    const pool = new SchemaThreads({ answerMs: 15_000, threads: 2 })
    const done: string[] = []
    const floods = ['a', 'a', 'a', 'b', 'b'].map((company, index) =>
      costly(pool, company, index).then(
        () => done.push(company),
        () => {},
      ),
    )
    // Each of these is a company without earlier questions.
    for (const company of ['c', 'd', 'e']) {
      expect(await pool.ask(company, { schema: '{}', instance: '1' })).toEqual(valid)
      done.push(company)
    }
    expect(done).toEqual(['c', 'd', 'e'])
    await pool.close()
    await Promise.all(floods)
  })

  it('checks what is too slow for the reserved thread in full on another one', async () => {
    const pool = new SchemaThreads({ answerMs: 20_000, threads: 2, quickMs: 20 })
    // Occupies the other thread for a while.
    const held = pool.ask('a', {
      schema: JSON.stringify({ items: { pattern: '^(?=x)x+$' } }),
      instance: JSON.stringify(Array(20_000).fill('xxxx')),
    })
    const large = Array.from({ length: 30_000 }, (_, id) => ({ id }))
    const schema = JSON.stringify({ items: { required: ['id'], properties: { id: { minimum: 0 } } } })
    expect(await pool.ask('b', { schema, instance: JSON.stringify(large) })).toEqual(valid)
    expect(await held).toEqual(valid)
    await pool.close()
  })
})
