import { taskFileSchema } from '@sandbox-jobs/contract/task-file/json-schema.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Control, Field } from './field.ts'
import type { Json } from './json.ts'
import { fieldsMax, planForm } from './plan.ts'

const planOf = (schema: unknown, value?: Json): Field => planForm(schema, value).root

/** The control of a required property. */
function controlOf(schema: object, value?: Json): Field {
  const { root } = planForm(
    { properties: { it: schema }, required: ['it'] },
    value === undefined ? {} : { it: value },
  )
  const field = root.kind === 'object' ? root.fields[0] : undefined
  if (field === undefined) throw new Error('the plan has no such field')
  return field
}

function fieldsOf(field: Field | undefined): Field[] {
  if (field?.kind !== 'object') throw new Error(`not an object but ${field?.kind}`)
  return field.fields
}

describe('plain values', () => {
  test.each<[object, Control]>([
    [{ type: 'string' }, { kind: 'text', hasLines: false }],
    [
      { type: 'string', maxLength: 201 },
      { kind: 'text', hasLines: true },
    ],
    [
      { type: 'string', maxLength: 200, title: 'Message' },
      { kind: 'text', hasLines: false },
    ],
    [
      { type: 'string', title: 'Message' },
      { kind: 'text', hasLines: true },
    ],
    [
      { type: 'string', 'x-lines': 5, maxLength: 5 },
      { kind: 'text', hasLines: true },
    ],
    [
      { type: 'string', format: 'email' },
      { kind: 'text', hasLines: false, format: 'email' },
    ],
    [
      { type: 'string', format: 'nobody-knows' },
      { kind: 'text', hasLines: false },
    ],
    [
      { type: 'string', format: 'date' },
      { kind: 'moment', format: 'date' },
    ],
    [
      { type: 'string', format: 'date-time' },
      { kind: 'moment', format: 'date-time' },
    ],
    [
      { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      { kind: 'bytes', mediaType: 'image/png' },
    ],
    [{ type: 'string', 'x-file': true }, { kind: 'run_file' }],
    [{ type: 'integer' }, { kind: 'number', isInteger: true }],
    [{ minimum: 5 }, { kind: 'number', isInteger: false }],
    [{ type: 'boolean' }, { kind: 'flag' }],
    [{ type: 'null' }, { kind: 'nothing' }],
    [{ const: { a: 1 } }, { kind: 'constant', value: { a: 1 } }],
    [
      { enum: ['a', 1, null, { b: 2 }] },
      {
        kind: 'choice',
        options: [
          { value: 'a', label: 'a' },
          { value: 1, label: '1' },
          { value: null, label: 'null' },
          { value: { b: 2 }, label: '{"b":2}' },
        ],
      },
    ],
    [
      { oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] },
      {
        kind: 'choice',
        options: [
          { value: 'a', label: 'First' },
          { value: 'b', label: 'b' },
        ],
      },
    ],
  ])('%j', (schema, expected) => {
    expect(controlOf(schema)).toMatchObject(expected)
  })

  test('a value or null is the value with a way to none', () => {
    const text = { kind: 'text' }
    expect(controlOf({ type: ['string', 'null'] })).toMatchObject({ kind: 'nullable', field: text })
    expect(controlOf({ type: ['null', 'string'] }, null)).toMatchObject({
      kind: 'nullable',
      field: undefined,
    })
    expect(controlOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toMatchObject({
      kind: 'nullable',
      field: text,
    })
  })

  test.each([
    [{}, 'any_value'],
    [{ type: ['string', 'number'] }, 'mixed_types'],
    [{ not: { const: 1 }, type: 'number' }, 'negation'],
    [{ $ref: '#/$defs/missing' }, 'unknown_reference'],
    [{ $ref: 'https://other.example/schema' }, 'unknown_reference'],
    [{ $ref: '#/properties/it' }, 'endless_reference'],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, 'contradiction'],
    [{ enum: [] }, 'no_value'],
  ])('%j is a field of JSON', (schema, reason) => {
    expect(controlOf(schema)).toMatchObject({ kind: 'json', reason })
  })

  test('a schema of true or false is a field of JSON', () => {
    expect([planOf(true).kind, planOf(false).kind, planOf('no schema').kind]).toEqual([
      'json',
      'json',
      'json',
    ])
  })
})

describe('texts of a field', () => {
  test('are its title or name, its help and its first example', () => {
    const schema = {
      type: 'string',
      title: 'Name',
      description: 'Of a person',
      examples: ['Ada', 'Bob'],
      default: 'Eve',
    }
    expect(controlOf(schema)).toMatchObject({
      title: 'Name',
      help: 'Of a person',
      example: 'Ada',
      default: 'Eve',
    })
    expect(controlOf({ type: 'string' }).title).toBe('it')
  })

  test('change nothing around them and are bounded', () => {
    expect(controlOf({ type: 'string', title: `\u202e${'x'.repeat(1000)}` }).title).toBe(
      `\ufffd${'x'.repeat(199)}…`,
    )
  })

  test('say that a secret does not belong here', () => {
    const { root } = planForm(
      { properties: { api_token: { type: 'string' }, max_tokens: { type: 'integer' } } },
      {},
    )
    expect(fieldsOf(root).map(({ isSecret }) => isSecret)).toEqual([true, false])
    expect(controlOf({ type: 'string', writeOnly: true }).isSecret).toBe(true)
  })
})

describe('objects', () => {
  test('have their fields in the declared order', () => {
    const schema = {
      type: 'object',
      required: ['b'],
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    }
    expect(fieldsOf(planOf(schema)).map(({ path, isRequired }) => [path, isRequired])).toEqual([
      [['a'], false],
      [['b'], true],
    ])
  })

  test('that are optional and absent are closed, so that recursion opens one level at a time', () => {
    const schema = {
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    }
    const [closed] = fieldsOf(planOf(schema, {}))
    expect(closed).toMatchObject({ isClosed: true, start: {} })
    const [open] = fieldsOf(planOf(schema, { next: {} }))
    expect(fieldsOf(open)).toMatchObject([{ isClosed: true, path: ['next', 'next'] }])
  })

  test('deeper than 16 levels are fields of JSON', () => {
    const schema = { required: ['next'], properties: { next: { $ref: '#' } } }
    expect(planForm(schema, {}).fields.at(-1)).toMatchObject({ kind: 'json', reason: 'too_deep' })
  })

  test('are merged from parts and references', () => {
    const schema = {
      allOf: [
        { properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
        { $ref: '#/$defs/more' },
        { $ref: '#named' },
      ],
      $defs: {
        more: { properties: { a: { maximum: 9, title: 'A' }, b: { type: 'string' } } },
        named: { $anchor: 'named', properties: { c: { type: 'boolean' } } },
      },
    }
    expect(fieldsOf(planOf(schema))).toMatchObject([
      { title: 'A', isRequired: true, kind: 'number', limits: { minimum: 1, maximum: 9 } },
      { title: 'b', kind: 'text' },
      { title: 'c', kind: 'flag' },
    ])
  })

  test('change with the value that a condition names', () => {
    const schema = {
      properties: { kind: { enum: ['card', 'bill'] } },
      if: { properties: { kind: { const: 'card' } }, required: ['kind'] },
      ...JSON.parse('{"then":{"properties":{"number":{"type":"string"}},"required":["number"]}}'),
      else: { properties: { address: { type: 'string' } } },
      dependentRequired: { kind: ['note'] },
      dependentSchemas: { kind: { properties: { note: { type: 'string' } } } },
    }
    const names = (value: Json) =>
      fieldsOf(planOf(schema, value)).map(({ path, isRequired }) => [path[0], isRequired])
    expect(names({ kind: 'card' })).toEqual([
      ['kind', false],
      ['number', true],
      ['note', true],
    ])
    expect(names({})).toEqual([
      ['kind', false],
      ['address', false],
    ])
  })

  test('take entries that the person names where the schema allows it, and keep those that are there', () => {
    const open = { type: 'object', additionalProperties: { type: 'number' } }
    expect(planOf(open, { x: 1 })).toMatchObject({
      extra: { canAdd: true, fields: [{ path: ['x'], kind: 'number' }] },
    })
    const closed = { type: 'object', properties: {}, additionalProperties: false }
    expect(planOf(closed, { x: 1 })).toMatchObject({ extra: { canAdd: false, fields: [{ kind: 'json' }] } })
    expect(planOf(closed, {})).not.toHaveProperty('extra')
  })

  test('have fields whose names objects inherit', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
    )
    expect(fieldsOf(planOf(schema, {})).map(({ title, kind }) => [title, kind])).toEqual([
      ['__proto__', 'text'],
      ['constructor', 'number'],
    ])
  })
})

describe('a choice of schemas', () => {
  const schema = {
    properties: { name: { type: 'string' } },
    oneOf: [
      { properties: { by: { const: 'mail' }, address: { type: 'string' } }, required: ['by'] },
      {
        title: 'By phone',
        properties: { by: { const: 'phone' }, number: { type: 'string' } },
        required: ['by'],
      },
    ],
  }

  test('names its branches by title or by the property that distinguishes them', () => {
    expect(planOf(schema)).toMatchObject({
      kind: 'kinds',
      titles: ['mail', 'By phone'],
      chosen: 0,
      keeps: ['name'],
    })
  })

  test('draws the branch that the value fits, and the common fields', () => {
    const plan = planOf(schema, { by: 'phone', name: 'Ada' })
    expect(plan).toMatchObject({ kind: 'kinds', chosen: 1 })
    expect(plan.kind === 'kinds' && fieldsOf(plan.field).map(({ title }) => title)).toEqual([
      'name',
      'by',
      'number',
    ])
  })

  test('draws the branch that the person chose', () => {
    expect(planForm(schema, { by: 'mail' }, new Map([['[]', 1]])).root).toMatchObject({ chosen: 1 })
    expect(planForm(schema, {}, new Map([['[]', 99]])).root).toMatchObject({ chosen: 1 })
  })

  test('that only demands fields is drawn as the object', () => {
    const demands = {
      properties: { a: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    }
    expect(planOf(demands).kind).toBe('object')
  })
})

describe('lists', () => {
  const row = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } }

  test('of plain values have a field for each', () => {
    expect(planOf({ type: 'array', items: { type: 'string' } }, ['a', 'b'])).toMatchObject({
      kind: 'list',
      canAdd: true,
      items: [{ path: [0], kind: 'text' }, { path: [1] }],
    })
  })

  test('of different options are checkboxes', () => {
    expect(planOf({ type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } })).toMatchObject({
      kind: 'choices',
      options: [{ value: 'a' }, { value: 'b' }],
    })
  })

  test('of flat objects are tables, whose rows cost no fields', () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: 'x' }))
    const plan = planForm({ type: 'array', items: row }, rows)
    expect(plan.root).toMatchObject({
      kind: 'table',
      rows: 10_000,
      columns: [{ title: 'id' }, { title: 'name' }],
    })
    expect(plan.fields).toHaveLength(3)
  })

  test('of objects with objects are lists', () => {
    const deep = { type: 'object', properties: { inner: row } }
    expect(planOf({ type: 'array', items: deep }, [{}])).toMatchObject({
      kind: 'list',
      items: [{ kind: 'object' }],
    })
  })

  test('with fixed positions have these first', () => {
    const schema = {
      prefixItems: [
        { title: 'X', type: 'number' },
        { title: 'Y', type: 'number' },
      ],
      items: false,
    }
    expect(planOf(schema, [1])).toMatchObject({
      kind: 'list',
      canAdd: false,
      fixed: 2,
      items: [{ title: 'X' }, { title: 'Y' }],
    })
  })
})

describe('hostile schemas', () => {
  test('of too many fields are a field of JSON', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`p${at}`, { type: 'string' }]),
    )
    expect(planForm({ properties }, {})).toMatchObject({
      root: { kind: 'json', reason: 'too_many_fields' },
      fields: { length: 1 },
    })
  })

  test('that merge the same large part again and again are planned in bounded time', () => {
    const properties = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`p${at}`, {}]))
    const again = { allOf: Array(190).fill({ $ref: '#/$defs/large' }) }
    const fields = Object.fromEntries(Array.from({ length: fieldsMax - 1 }, (_, at) => [`f${at}`, again]))
    const before = performance.now()
    planForm({ $defs: { large: { properties } }, properties: fields, required: Object.keys(fields) }, {})
    expect(performance.now() - before).toBeLessThan(3000)
  })

  test('that refer to themselves in a circle, or double with each level, end', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    )
    expect(planOf({ $ref: '#/$defs/d0', $defs: doubling }).kind).toBe('json')
    expect(
      planOf({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }).kind,
    ).toBe('json')
  })

  test('of any form never make the plan throw, with any value', () => {
    const keyword = fc.constantFrom(
      ...[
        'type',
        'enum',
        'const',
        'properties',
        'items',
        'prefixItems',
        'oneOf',
        'anyOf',
        'allOf',
        '$ref',
        'required',
      ],
      ...[
        'if',
        'then',
        'else',
        'not',
        'dependentSchemas',
        'dependentRequired',
        'additionalProperties',
        'title',
        '__proto__',
      ],
      ...[
        'patternProperties',
        'uniqueItems',
        'minimum',
        'default',
        'format',
        '$defs',
        '$anchor',
        '$dynamicRef',
        'examples',
      ],
    )
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('object', 'string', 'array', '#', '#/$defs/a', '#a', 'null', true, false, null, 3),
        fc.dictionary(keyword, tie('schema'), { maxKeys: 5 }),
        fc.array(tie('schema'), { maxLength: 3 }),
      ),
    }))
    fc.assert(
      fc.property(schema, fc.jsonValue({ depthSize: 'small' }), (one, value) => {
        planForm(one, value as Json)
      }),
      { numRuns: 3000 },
    )
  })
})

test('the schema of a task file is a form', () => {
  const { root, fields } = planForm(taskFileSchema(), {})
  expect(root.kind).toBe('object')
  expect(fields.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(3)
})
