import { expect, it } from 'vitest'
import { jsonbBytes } from './jsonb-bytes.ts'

it('counts the text of a value, in bytes', () => {
  expect(jsonbBytes({ a: ['ä', 1.5, null, true] })).toBe(Buffer.byteLength('{"a":["ä",1.5,null,true]}'))
  expect(jsonbBytes({ text: '1e308', 'e+9': 1 })).toBe('{"text":"1e308","e+9":1}'.length)
})

it.each([
  [1e21, 22],
  [1e308, 309],
  [1.7976931348623157e308, 309],
  [5e-324, 326],
  [-1e-7, 10],
])('counts %d as at least the %i characters that it has without an exponent', (number, written) => {
  expect(jsonbBytes(number)).toBeGreaterThanOrEqual(written)
  expect(jsonbBytes([number, number])).toBe(jsonbBytes(number) * 2 + '[,]'.length)
})
