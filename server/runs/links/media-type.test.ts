import { expect, it } from 'vitest'
import { isRaster, mediaTypeOf, sharedTypeOf } from './media-type.ts'

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

it.each([
  ['<svg/>', true],
  ['\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- made by a plotter -->\n<svg xmlns="x">', true],
  ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd"><svg>', true],
  ['<!DOCTYPE svg [<!ENTITY a "b">]><svg>', false],
  ['<html><svg/></html>', false],
  ['<svgx>', false],
  ['text <svg/>', false],
])('takes %j for a drawing on a share page: %s', (text, isDrawing) => {
  const type = sharedTypeOf('a.svg', Buffer.from(text), true)
  expect(type === 'image/svg+xml').toBe(isDrawing)
  expect(isRaster(type)).toBe(false)
})
