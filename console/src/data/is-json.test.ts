import { expect, test } from 'vitest'
import { isJson } from './is-json.ts'

test('an object and a text in quotes are JSON, and neither nothing nor a part of an object', () => {
  expect([isJson('{}'), isJson('"a"'), isJson(''), isJson('{a')]).toEqual([true, true, false, false])
})
