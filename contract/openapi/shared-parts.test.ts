import { expect, test } from 'vitest'
import { SharedParts } from './shared-parts.ts'

const part = (name: string, description: string) => ({ name, value: { description } })

test('a part of several operations is a component, and one of a single operation stays in place', () => {
  const responses = new SharedParts('responses', [part('Ok', 'good'), part('No', 'bad'), part('Ok', 'good')])
  expect(responses.components).toEqual({ Ok: { description: 'good' } })
  expect(responses.inPlace({ 200: part('Ok', 'good'), 404: part('No', 'bad') })).toEqual({
    200: { $ref: '#/components/responses/Ok' },
    404: { description: 'bad' },
  })
})

test('different parts with one name have different names', () => {
  const all = ['one', 'other', 'one', 'other'].map((description) => part('Ok', description))
  const responses = new SharedParts('responses', all)
  expect(responses.components).toEqual({ Ok: { description: 'one' }, Ok2: { description: 'other' } })
  expect(responses.inPlace({ 200: part('Ok', 'other') })).toEqual({
    200: { $ref: '#/components/responses/Ok2' },
  })
})
