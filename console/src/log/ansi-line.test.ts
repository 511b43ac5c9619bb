import { describe, expect, test } from 'vitest'
import { applyBytes, shownText, spansMax, spansOf, textOf } from './ansi-line.ts'
import { type Graphics, plainGraphics, rgbFlag, textFlags } from './sgr.ts'

const fresh = (): Graphics => ({ ...plainGraphics })
const spans = (line: string) => spansOf(line, fresh())
const text = (line: string) => textOf(spans(line))
const looks = (codes: string) => spansOf(`\u001b[${codes}mx`, fresh())[0]?.graphics ?? 'plain'
const { bold, dim, inverse, italic, strike, underline } = textFlags

describe('colours and weights', () => {
  test.each([
    ['31', { colour: 1, background: -1, flags: 0 }],
    ['97', { colour: 15, background: -1, flags: 0 }],
    ['42', { colour: -1, background: 2, flags: 0 }],
    ['107', { colour: -1, background: 15, flags: 0 }],
    [
      '1;2;3;4;7;9',
      { colour: -1, background: -1, flags: bold | dim | italic | underline | inverse | strike },
    ],
    ['21', { colour: -1, background: -1, flags: underline }],
    ['38;5;208', { colour: 208, background: -1, flags: 0 }],
    ['48;2;1;2;3', { colour: -1, background: rgbFlag | 0x010203, flags: 0 }],
    ['38:2:255:0:1', { colour: rgbFlag | 0xff0001, background: -1, flags: 0 }],
    ['38:2::255:0:1', { colour: rgbFlag | 0xff0001, background: -1, flags: 0 }],
    ['38;5;1;4', { colour: 1, background: -1, flags: underline }],
    ['4:3', { colour: -1, background: -1, flags: underline }],
  ])('%s', (codes, expected) => {
    expect(looks(codes)).toEqual(expected)
  })

  test.each([
    '0',
    '',
    '31;0',
    '31;39',
    '41;49',
    '1;2;22',
    '3;23',
    '4;24',
    '4:0',
    '7;27',
    '8;28',
    '9;29',
    '5',
  ])('%s leaves plain text', (codes) => {
    expect(looks(codes)).toBe('plain')
  })

  test.each(['38;5;256', '38;2;1;2', '38;9', '38', '38;5', '999', '?31', '31 ', `${'1;'.repeat(200)}1`])(
    'what no terminal knows has no effect: %s',
    (codes) => {
      expect(looks(codes)).toBe('plain')
    },
  )

  test('a look lasts until it is changed, into the next line', () => {
    const graphics = fresh()
    spansOf('\u001b[1;31mred', graphics)
    expect(spansOf('still', graphics)).toEqual([
      { text: 'still', graphics: { colour: 1, background: -1, flags: bold } },
    ])
  })

  test('text of one look is one span', () => {
    expect(spans('a\u001b[31m\u001b[0mb\u001b[32mc')).toEqual([
      { text: 'ab' },
      { text: 'c', graphics: { colour: 2, background: -1, flags: 0 } },
    ])
  })
})

describe('sequences that are no colours are removed', () => {
  test.each([
    ['a cursor movement', 'a\u001b[2Kb\u001b[10;20Hc\u001b[?25l', 'abc'],
    ['a title', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a title that ends with the string terminator', 'a\u001b]0;owned\u001b\\b', 'ab'],
    ['a link', '\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a string of a device', 'a\u001bPq#0;2;0\u001b\\b', 'ab'],
    ['a title without an end', 'a\u001b]0;for ever', 'a'],
    ['a title that a colour ends', 'a\u001b]0;x\u001b[31mb', 'ab'],
    ['a character set', 'a\u001b(Bb', 'ab'],
    ['a reset', 'a\u001bcb', 'ab'],
    ['an escape at the end', 'a\u001b', 'a'],
  ])('%s', (_name, line, expected) => {
    expect(text(line)).toBe(expected)
    expect(shownText(line)).toBe(expected)
  })

  test('a sequence without an end loses only its beginning', () => {
    expect(text('a\u001b[31')).toBe('a31')
  })
})

describe('a carriage return', () => {
  test('shows what is after the last one, in the look of what was before', () => {
    const graphics = fresh()
    expect(spansOf('10 %\r\u001b[32m50 %\r100 %', graphics)).toEqual([
      { text: '100 %', graphics: { colour: 2, background: -1, flags: 0 } },
    ])
  })

  test('at the end of the line is part of the line end', () => {
    expect(text('whole\r\r')).toBe('whole')
    expect(shownText('one\r\n1 %\r2 %\ntwo')).toBe('one\n2 %\ntwo')
  })
})

test('characters that would change what is around them are replaced', () => {
  expect(text('a\u202eb\u0000c\u0008d\u009b31me\ud800f')).toBe('a\ufffdb\ufffdc\ufffdd\ufffd31me\ufffdf')
})

test('a line of many colours has a bounded number of spans and all of its text', () => {
  const line = Array.from({ length: 5000 }, (_, at) => `\u001b[3${at % 8}mx`).join('')
  expect(spans(line)).toHaveLength(spansMax)
  expect(text(line)).toBe('x'.repeat(5000))
})

test.each(['\u001b]', '\u001b[', '\u001b[0;', '\r', '\u001b[31m', '\u001bP\u001b', 'a\r\u001b['])(
  'a line of nothing but %j costs time in proportion to its length',
  (part) => {
    const before = performance.now()
    text(part.repeat(16 * 1024))
    shownText(part.repeat(16 * 1024))
    expect(performance.now() - before).toBeLessThan(2000)
  },
)

test.each([
  'a\u001b[31mb',
  '\u001b]0;\u001b[1;38;5;9mtitle\u0007\u001b[4m',
  '\u001b[?31m\u001b[31',
  `\u001b[${'1;'.repeat(300)}m\u001b[7m`,
])('the look after %j is the same from its bytes and from its text', (line) => {
  const [ofText, ofBytes] = [fresh(), fresh()]
  spansOf(line, ofText)
  const bytes = new TextEncoder().encode(line)
  applyBytes(bytes, [0, bytes.length], ofBytes)
  expect(ofBytes).toEqual(ofText)
})

test('the look after a line costs time in proportion to the line, not to the log that follows', () => {
  const log = new Uint8Array(32 * 1024 * 1024).fill(0x78)
  const before = performance.now()
  for (let line = 0; line < 400; line += 1) applyBytes(log, [line * 60, line * 60 + 60], fresh())
  expect(performance.now() - before).toBeLessThan(1000)
})
