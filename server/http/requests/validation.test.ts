import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { Nullable, OneOf, PlainText, Strict, VisibleText } from '@sandbox-jobs/contract/schema.ts'
import { Type } from 'typebox'
import { describe, expect, it, test } from 'vitest'
import { ValidationError } from '../../base/errors/validation-error.ts'
import { patternMessages, validatorOf } from './validation.ts'

const schema = Strict({
  name: Type.Optional(VisibleText({ maxLength: 3 })),
  note: Type.Optional(Nullable(PlainText({ maxLength: 3 }))),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  kind: Type.Optional(OneOf(['a', 'b'])),
  rows: Type.Optional(Type.Array(Strict({ at: Type.String({ format: 'date-time' }) }), { maxItems: 1 })),
})

function problemsOf(body: unknown) {
  try {
    validatorOf('body', schema)(body)
  } catch (error) {
    if (error instanceof ValidationError) return error.problems
    throw error
  }
  return []
}

describe('a validation message', () => {
  it.each([
    [{ name: '' }, 'name must have at least 1 character'],
    [{ name: 'long' }, 'name may have at most 3 characters'],
    [{ name: '  ' }, 'name must hold a visible character, and no NUL character'],
    [{ name: 7 }, 'name must be text'],
    [{ note: 7 }, 'note must be text'],
    [{ note: 'a\0' }, 'note may not hold a NUL character'],
    [{ count: 0 }, 'count must be at least 1'],
    [{ count: 1.5 }, 'count must be a whole number'],
    [{ kind: 'c' }, 'kind must be one of: a, b'],
    [{ rows: [{}] }, 'rows[0].at is required'],
    [{ rows: [{ at: 'now' }] }, 'rows[0].at must be an instant with an offset, such as 2026-01-31T12:00:00Z'],
    [{ color: 1 }, 'color is not a field of this request'],
    [[], 'The body must be an object'],
    [undefined, 'The body must be an object'],
  ])('names the field and speaks to people: %j', (body, message) => {
    expect(problemsOf(body).map(({ msg }) => msg)).toEqual([message])
  })

  it('shortens long names', () => {
    const [problem] = problemsOf({ ['x'.repeat(10_000)]: 1 })
    expect(JSON.stringify(problem).length).toBeLessThan(400)
  })
})

test('every pattern of a request has a message', () => {
  const patterns = new Set<string>()
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('pattern' in node && typeof node.pattern === 'string') patterns.add(node.pattern)
    for (const child of Object.values(node)) collect(child)
  }
  for (const { params, query, body } of Object.values<Route>(allRoutes)) collect([params, query, body])
  expect([...patterns].filter((pattern) => !patternMessages.has(pattern))).toEqual([])
  expect(patterns.size).toBeGreaterThan(4)
})
