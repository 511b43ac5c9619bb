import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { about, aboutOf, withExample } from './about.ts'

const Count = withExample(Type.Optional(Type.Integer({ minimum: 0 })), 3)
const Bytes = about('Bytes that are kept.', Count, 20)

test('a description changes neither the JSON of a schema nor what it accepts', () => {
  expect(JSON.stringify(Bytes)).toBe(JSON.stringify(Count))
  const object = Type.Object({ bytes: Bytes })
  expect(JSON.stringify(object)).toBe(JSON.stringify(Type.Object({ bytes: Count })))
  expect(object.required).toBeUndefined()
  const accepts = new Ajv2020().compile(object)
  expect([accepts({ bytes: 1 }), accepts({}), accepts({ bytes: -1 })]).toEqual([true, true, false])
})

test('a field keeps the example of its schema unless it has its own', () => {
  expect(aboutOf(Bytes)).toMatchObject({ description: 'Bytes that are kept.', examples: [20] })
  expect(aboutOf(about('How many.', Count))).toMatchObject({ description: 'How many.', examples: [3] })
  expect(aboutOf(about('Or none.', Count, null))?.examples).toEqual([null])
  expect(aboutOf(Type.Integer())).toBeUndefined()
})
