import { expect, it } from 'vitest'
import { mediaTypeOf } from './media-type.ts'

const text = 'text/plain; charset=utf-8'
const utf8 = Buffer.from('ü')

it.each([
  ['a.png', Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png'],
  ['a.html', Buffer.from('ffd8ff', 'hex'), 'image/jpeg'],
  ['a.csv', Buffer.from('a,b'), 'text/csv; charset=utf-8'],
  ['a.js', Buffer.from('alert(1)'), text],
  ['a.png', Buffer.from(' \n<svg/>'), undefined],
  ['a.txt', Buffer.from('\ufeff<!doctype html>'), undefined],
  ['a.txt', Buffer.from('a\0b'), undefined],
  ['a.pdf', Buffer.from('%PDF-1.7\n\x80\xff', 'latin1'), undefined],
  ['a.txt', Buffer.alloc(0), text],
])('decides %s by its bytes', (name, bytes, type) => {
  expect(mediaTypeOf(name, bytes, true)).toBe(type)
})

it('takes a character that is cut at the end of the first bytes for text, but not at the end of a file', () => {
  expect(mediaTypeOf('a', utf8.subarray(0, 1), false)).toBe(text)
  expect(mediaTypeOf('a', utf8.subarray(0, 1), true)).toBeUndefined()
})
