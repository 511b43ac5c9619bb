import type { SchemaQuestion } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import { afterAll, expect, it } from 'vitest'
import { inputProblem } from './schema-problems.ts'
import { SchemaThreads } from './schema-threads.ts'

const threads = new SchemaThreads({ answerMs: 1000 })
afterAll(() => threads.close())

/** The messages of an input that does not conform, as a caller reads them. */
async function messagesOf(schema: unknown, instance: unknown): Promise<string[]> {
  const verdict = await threads.ask<SchemaQuestion>('company', {
    schema: JSON.stringify(schema),
    instance: JSON.stringify(instance),
  })
  if (verdict.kind !== 'instance_invalid') throw new Error(verdict.kind)
  return verdict.problems.map((found) => inputProblem(found).msg)
}

const report = {
  type: 'object',
  properties: { bytes: { type: 'number' }, title: { type: 'string' }, food: {} },
  required: ['title', 'bytes'],
  additionalProperties: false,
}

it('names the field and what it must be', async () => {
  expect(await messagesOf(report, { bytes: 'many', foo: 1 })).toEqual([
    'input.bytes must be a number',
    'input.title is missing',
    'input.foo is not known here (did you mean food?)',
  ])
  expect(await messagesOf(report, 7)).toEqual(['input must be an object'])
  expect(await messagesOf(report, { bytes: 1, title: '', surprise: 1 })).toEqual([
    'input.surprise is not known here',
  ])
})

it.each([
  [{ type: ['string', 'null'] }, 1, 'must be text or null'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'must be text or null'],
  [{ oneOf: [{ maxLength: 2 }, { type: 'null' }] }, 'abc', 'is none of the forms that this field may have'],
  [{ enum: ['red', 'green', 3] }, 'blue', 'must be one of: "red", "green", 3'],
  [{ enum: [1, 2, 3, 4, 5, 6, 7, 8] }, 9, 'must be one of: 1, 2, 3, 4, 5, 6 (and 2 more)'],
  [{ const: 'yes' }, 'no', 'must be "yes"'],
  [{ const: { a: 1 } }, 'no', 'must be a certain value'],
  [{ minimum: 3 }, 2, 'must be at least 3'],
  [{ exclusiveMaximum: 2 }, 2, 'must be less than 2'],
  [{ multipleOf: 5 }, 2, 'must be a multiple of 5'],
  [{ minLength: 1 }, '', 'must have at least 1 character'],
  [{ maxItems: 2 }, [1, 2, 3], 'may have at most 2 items'],
  [{ uniqueItems: true }, [1, 1], 'may not hold the same item twice'],
  [{ pattern: '^(secret|form)$' }, 'x', 'is not of the form that this field has'],
  [{ not: { type: 'number' } }, 1, 'is not of the form that this field has'],
  [{ $ref: '#/$defs/a', $defs: { a: { maxLength: 2 } } }, 'abc', 'may have at most 2 characters'],
])('says of %j and %j: %s', async (schema, instance, words) => {
  expect(await messagesOf(schema, instance)).toEqual([`input ${words}`])
})

it('has general words where a path may belong to another part of the schema', async () => {
  const schema = { properties: { a: { $id: 'https://example.org/a', maxLength: 2 } } }
  expect(await messagesOf(schema, { a: 'abc' })).toEqual(['input.a is not of the form that this field has'])
})

it('bounds and spells out what a hostile schema would have shown', async () => {
  const long = 'x'.repeat(5000)
  const hidden = 'pay\u202egnp'
  const messages = await messagesOf(
    { required: [long, hidden, '__proto__', 'constructor'], properties: { a: { enum: [long, hidden] } } },
    { a: 1 },
  )
  expect(messages.join('\n').length).toBeLessThan(1000)
  expect(messages.join('\n')).not.toContain('\u202e')
  expect(messages).toContain('input.constructor is missing')
  expect(messages).toContain('input.__proto__ is missing')
})

it('lists at most twenty missing fields', async () => {
  const required = Array.from({ length: 3000 }, (_, at) => `field_${at}`)
  expect(await messagesOf({ required }, {})).toHaveLength(20)
})

it('shows no value of the input', async () => {
  const messages = await messagesOf(
    { properties: { a: { type: 'number' }, b: { enum: ['x'] }, c: { maxLength: 1 } } },
    { a: 'hunter2', b: 'hunter2', c: 'hunter2' },
  )
  expect(messages.join()).not.toContain('hunter2')
})
