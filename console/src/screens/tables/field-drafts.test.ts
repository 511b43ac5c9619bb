import { expect, test } from 'vitest'
import {
  areFieldsComplete,
  type FieldDraft,
  fieldsOfDrafts,
  problemOfField,
  withNewField,
} from './field-drafts.ts'

const draftsOf = (...names: string[]): FieldDraft[] =>
  names.map((name, id) => ({ id, name, type: 'text', isRequired: false }))

test('a further field has an identifier of its own', () => {
  const [first, ...more] = withNewField(withNewField([]))
  expect(first).toMatchObject({ id: 0, name: '' })
  expect(withNewField(more).map(({ id }) => id)).toEqual([1, 2])
})

test.each([
  ['amount', undefined],
  ['Amount', 'name'],
  ['1st', 'name'],
  ['', 'name'],
  ['updated_at', 'taken'],
  ['order_id', 'repeated'],
])('a field of the name %j has the problem %s', (name, expected) => {
  const [draft] = draftsOf(name)
  expect(draft && problemOfField(draft, [draft], ['order_id'])).toBe(expected)
})

test('of two fields with one name the second has the problem', () => {
  const drafts = draftsOf('amount', 'amount')
  expect(drafts.map((draft) => problemOfField(draft, drafts, []))).toEqual([undefined, 'repeated'])
  expect(areFieldsComplete(drafts, [])).toBe(false)
  expect(areFieldsComplete(draftsOf('amount', 'at'), [])).toBe(true)
})

test('fields are sent in their order, with whether they are required', () => {
  expect(
    fieldsOfDrafts([{ id: 3, name: 'at', type: 'datetime', isRequired: true }, ...draftsOf('note')]),
  ).toEqual([
    { name: 'at', type: 'datetime', required: true },
    { name: 'note', type: 'text', required: false },
  ])
})
