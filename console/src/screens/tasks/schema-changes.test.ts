import { expect, test } from 'vitest'
import { schemaChanges } from './schema-changes.ts'

const schema = (properties: object, required: string[] = []) =>
  JSON.stringify({ type: 'object', required, properties })

test('fields are added, removed, required, optional, or of another type', () => {
  const before = schema({ a: { type: 'string' }, b: { type: 'string' }, c: {}, d: {} }, ['c'])
  const after = schema({ a: { type: 'number' }, c: {}, d: {}, e: {}, f: {} }, ['d', 'e'])
  expect(schemaChanges(before, after)).toEqual([
    { kind: 'type', path: 'a' },
    { kind: 'removed', path: 'b' },
    { kind: 'optional', path: 'c' },
    { kind: 'required', path: 'd' },
    { kind: 'added_required', path: 'e' },
    { kind: 'added', path: 'f' },
  ])
})

test('fields in objects and lists are compared too', () => {
  const list = (items: object) => schema({ rows: { type: 'array', items } })
  const before = list({ type: 'object', properties: { price: { type: 'number', minimum: 0 } } })
  const after = list({ type: 'object', properties: { price: { type: 'number', minimum: 1 }, tax: {} } })
  expect(schemaChanges(before, after)).toEqual([
    { kind: 'changed', path: 'rows[].price' },
    { kind: 'added', path: 'rows[].tax' },
  ])
})

test('a schema that comes or goes has all of its fields', () => {
  expect(schemaChanges(null, schema({ a: {} }, ['a']))).toEqual([{ kind: 'added_required', path: 'a' }])
  expect(schemaChanges(schema({ a: {} }), null)).toEqual([{ kind: 'removed', path: 'a' }])
})

test('other texts are not compared by fields', () => {
  expect(schemaChanges('[', null)).toBeUndefined()
  expect(schemaChanges('true', null)).toBeUndefined()
})

test('names that objects inherit are names', () => {
  expect(schemaChanges(schema({}), '{"properties":{"__proto__":{},"constructor":{}}}')).toEqual([
    { kind: 'added', path: '__proto__' },
    { kind: 'added', path: 'constructor' },
  ])
})
