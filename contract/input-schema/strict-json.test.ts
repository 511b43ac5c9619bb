import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonBounds, JsonRefused, parseStrictJson, runInputBounds } from './strict-json.ts'

const refusal = (text: string | Buffer, bounds: JsonBounds = runInputBounds) => {
  try {
    parseStrictJson(Buffer.from(text as string), bounds)
  } catch (error) {
    if (error instanceof JsonRefused) return error.slug
    throw error
  }
  return 'accepted'
}

const refused: [name: string, text: string | Buffer, slug: string][] = [
  ['nothing', '', 'bad_syntax'],
  ['only spaces', ' \n', 'bad_syntax'],
  ['two values', '1 2', 'bad_syntax'],
  ['a trailing comma in an array', '[1,]', 'bad_syntax'],
  ['a trailing comma in an object', '{"a":1,}', 'bad_syntax'],
  ['a missing comma', '[1 2]', 'bad_syntax'],
  ['a missing colon', '{"a" 1}', 'bad_syntax'],
  ['a key without quotes', '{a:1}', 'bad_syntax'],
  ['a comment', '[1] // one', 'bad_syntax'],
  ['an open array', '[[1]', 'bad_syntax'],
  ['crossed brackets', '[{]}', 'bad_syntax'],
  ['a stray closing bracket', '1]', 'bad_syntax'],
  ['an open string', '"abc', 'bad_syntax'],
  ['an unknown escape', '"\\x41"', 'bad_syntax'],
  ['a short unicode escape', '"\\u12"', 'bad_syntax'],
  ['a raw line feed in a string', '"a\nb"', 'bad_syntax'],
  ['a no-break space between values', '[1,\u00a02]', 'bad_syntax'],
  ['a leading zero', '01', 'bad_syntax'],
  ['a leading plus', '+1', 'bad_syntax'],
  ['a bare point', '1.', 'bad_syntax'],
  ['NaN', 'NaN', 'not_a_number'],
  ['a negative infinity', '{"a":[1,-Infinity]}', 'not_a_number'],
  ['a hexadecimal number', '0x10', 'bad_syntax'],
  ['a byte order mark', '\ufeff{}', 'byte_order_mark'],
  ['an overlong UTF-8 sequence', Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'not_utf8'],
  ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not_utf8'],
  ['a cut UTF-8 sequence', Buffer.from([0x22, 0xe2, 0x82, 0x22]), 'not_utf8'],
  ['a NUL byte in a string', '"\0"', 'nul_character'],
  ['a NUL byte between values', '\0', 'nul_character'],
  ['an escaped NUL in a string', '"\\u0000"', 'nul_character'],
  ['an escaped NUL in a key', '{"\\u0000":1}', 'nul_character'],
  ['a lone high surrogate', '"\\ud800"', 'lone_surrogate'],
  ['a high surrogate before a letter', '"\\ud800\\u0041"', 'lone_surrogate'],
  ['a lone low surrogate', '"\\udc00"', 'lone_surrogate'],
  ['a lone surrogate in a key', '{"\\ud800":1}', 'lone_surrogate'],
  ['a duplicate key', '{"a":1,"b":2,"a":3}', 'duplicate_key'],
  ['a duplicate key, once escaped', '{"a":1,"\\u0061":2}', 'duplicate_key'],
  ['a nested duplicate key', '[{"x":{"k":1,"k":1}}]', 'duplicate_key'],
  ['the empty key twice', '{"":1,"":2}', 'duplicate_key'],
  ['a number past all doubles', '1e400', 'number_out_of_range'],
  ['a negative number past all doubles', '-1e400', 'number_out_of_range'],
  ['an integer a double cannot hold', '9007199254740993', 'number_not_exact'],
  ['a long integer', '[123456789012345678901234567890]', 'number_not_exact'],
]

describe('strict JSON', () => {
  it.each(refused)('refuses %s', (_name, text, slug) => {
    expect(refusal(text)).toBe(slug)
  })

  it('reports where it stopped and nothing of the text', () => {
    try {
      parseStrictJson(Buffer.from('{"secret":1,"secret":2}'), runInputBounds)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ slug: 'duplicate_key', at: 12 })
      expect(String(error)).not.toContain('secret')
    }
  })

  it.each([
    ['{"a":[1,{"b":1e400}]}', ['a', 1, 'b']],
    ['{"a":{"b":1},"c":"\\u0000"}', ['c']],
    ['{"a":1,"b":2,"b":3}', ['b']],
    ['{"a":1,}', []],
    ['[[1],[2,x]]', [1, 1]],
    ['{"a":1}x', []],
    [`{"${'k'.repeat(500)}":NaN}`, ['k'.repeat(128)]],
  ])('reports the field where it stopped: %s', (text, path) => {
    const read = () => parseStrictJson(Buffer.from(text), runInputBounds)
    expect(read).toThrow(expect.objectContaining({ path }))
  })

  it('refuses every spelling of the key __proto__ unless the bounds accept it', () => {
    const bounds = { ...runInputBounds, acceptProto: false }
    expect(refusal('{"__proto__":{"admin":true}}', bounds)).toBe('forbidden_key')
    expect(refusal('{"\\u005f_proto__":1}', bounds)).toBe('forbidden_key')
  })

  it('keeps the key __proto__ as a field of the value', () => {
    const value = parseStrictJson(Buffer.from('{"__proto__":{"admin":true}}'), runInputBounds)
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect((value as { admin?: boolean }).admin).toBeUndefined()
  })

  it('accepts an escaped NUL in the text of a named field of the outermost object, and nowhere else', () => {
    const bounds = { ...runInputBounds, nulFields: ['a'] }
    expect(parseStrictJson(Buffer.from('{"a":"x\\u0000"}'), bounds)).toEqual({ a: 'x\0' })
    for (const text of [
      '{"b":"\\u0000"}',
      '{"a":["\\u0000"]}',
      '{"b":{"a":"\\u0000"}}',
      '{"a\\u0000":1}',
      '{"a":"\0"}',
    ]) {
      expect(refusal(text, bounds)).toBe('nul_character')
    }
  })

  it('enforces the exact depth, size and node count of the bounds', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(refusal(nested(64))).toBe('accepted')
    expect(refusal(nested(65))).toBe('too_deep')
    const flat = (nodes: number) => `[${Array(nodes - 1).fill(0)}]`
    expect(refusal(flat(100_000))).toBe('accepted')
    expect(refusal(flat(100_001))).toBe('too_many_nodes')
    const long = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    expect(refusal(long(1024 * 1024))).toBe('accepted')
    expect(refusal(long(1024 * 1024 + 1))).toBe('too_large')
  })

  it('refuses a very deep text without a deep stack', () => {
    const deep = '['.repeat(500_000)
    expect(refusal(deep, { maxBytes: 1e6, maxDepth: 1e6, maxNodes: 1e6 })).toBe('bad_syntax')
  })

  it('accepts equal keys in different objects and scalars at the top', () => {
    const text = ' {"a":{"a":[{"a":null},{"a":-0.5e-3}]},"b":"\\ud83d\\ude00 \u00fc"} '
    expect(parseStrictJson(Buffer.from(text), runInputBounds)).toEqual(JSON.parse(text))
    for (const scalar of [
      '1',
      '-0',
      'true',
      'false',
      'null',
      '""',
      '9007199254740991',
      '1e20',
      '100000000000000000000',
    ]) {
      expect(refusal(scalar)).toBe('accepted')
    }
  })

  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(!text.includes('\\u0000'))
        expect(parseStrictJson(Buffer.from(text), runInputBounds)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('never accepts text that JSON.parse refuses, and throws only JsonRefused', () => {
    const pieces = fc.constantFrom(
      ...'[]{}",:\\'.split(''),
      '"a"',
      '1',
      '-',
      '.5',
      'e',
      'null',
      'tru',
      ' ',
      '\\u00',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        if (refusal(text) === 'accepted') JSON.parse(text)
      }),
      { numRuns: 3000 },
    )
  })
})
