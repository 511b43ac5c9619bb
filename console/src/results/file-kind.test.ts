import { describe, expect, test } from 'vitest'
import { headBytes, kindOf } from './file-kind.ts'

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('a file is what its bytes say', () => {
  test.each([
    ['\u0089PNG\r\n\u001a\n....', 'image/png'],
    ['\u00ff\u00d8\u00ff\u00e0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF....WEBPVP8 ', 'image/webp'],
    ['\0\0\0 ftypavif', 'image/avif'],
    ['RIFF....WAVEfmt ', 'audio/wav'],
    ['\0\0\0 ftypisom', 'video/mp4'],
  ])('%j is %s', (bytes, type) => {
    expect(kindOf('a.html', latin(bytes))).toMatchObject({ type })
  })

  test.each(['%PDF-1.7\0', 'MZ\u0090\0', 'PK\u0003\u0004\0', '\u00ff\u00fe\0<'])(
    '%j is not shown',
    (bytes) => {
      expect(kindOf('a.png', latin(bytes))).toEqual({ kind: 'other' })
    },
  )

  test.each([
    '<svg xmlns="x">',
    '<?xml version="1.0"?>\n<!-- a --><svg>',
    '\n<!DOCTYPE svg PUBLIC "x">\n<SVG >',
  ])('%j is a picture', (text) => {
    expect(kindOf('a.txt', utf8(text))).toEqual({ kind: 'image', type: 'image/svg+xml' })
  })
})

describe('text is shown by the ending of its name', () => {
  test.each([
    ['a.csv', 'csv'],
    ['A.TSV', 'csv'],
    ['read.md', 'markdown'],
    ['a.json', 'json'],
    ['a.html', 'text'],
    ['page.svg', 'text'],
    ['a.constructor', 'text'],
    ['csv', 'csv'],
    ['', 'text'],
  ])('%j as %s', (name, kind) => {
    expect(kindOf(name, utf8('<p>text</p>'))).toEqual({ kind })
  })

  test('and is text also when its start ends within a character', () => {
    expect(kindOf('a', utf8('grün 🎉').subarray(0, -2))).toEqual({ kind: 'text' })
    expect(kindOf('a', Uint8Array.from([0x61, 0xff, 0x62, 0x63, 0x64, 0x65]))).toEqual({ kind: 'other' })
    expect(kindOf('a', new Uint8Array())).toEqual({ kind: 'text' })
  })
})

test.each(['<!--', '<?xml', ' ', '<!DOCTYPE svg'])('a start of nothing but %j costs little time', (part) => {
  const before = performance.now()
  kindOf('a', utf8(part.repeat(1000)).subarray(0, headBytes))
  expect(performance.now() - before).toBeLessThan(500)
})
