import { parseStrictJson, runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalDigest, canonicalJson } from './canonical-json.ts'

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 code unit and writes numbers as RFC 8785 does', () => {
    const value = {
      '\ufb33': 1,
      '\u{1f600}': 2,
      b: [1e21, 333333333.3333333, 4.5, -0, 1e-27],
      a: '\u20ac$\n',
    }
    expect(canonicalJson(value)).toBe(
      '{"a":"€$\\n","b":[1e+21,333333333.3333333,4.5,0,1e-27],"\u{1f600}":2,"\ufb33":1}',
    )
  })

  it('computes the same digest for every spelling of a value', () => {
    const spellings = [
      '{"a":1,"b":[true]}',
      ' { "b" : [ true ] , "\\u0061" : 1.0 } ',
      '{"b":[true],"a":10e-1}',
    ]
    const digests = spellings.map((text) =>
      canonicalDigest(parseStrictJson(Buffer.from(text), runInputBounds)),
    )
    expect(new Set(digests).size).toBe(1)
    expect(digests[0]).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('throws on values without a JSON form', () => {
    expect(() => canonicalJson(undefined)).toThrow()
    expect(() => canonicalJson({ a: Number.NaN })).toThrow()
    expect(() => canonicalJson('\ud800')).toThrow()
  })

  it('writes the same text as the library for keys of any order and form', () => {
    const key = fc.oneof(
      fc.string(),
      fc.nat({ max: 12 }).map(String),
      fc.constantFrom('__proto__', 'toJSON', 'constructor'),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(null, true, false, -0),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc
          .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 5, selector: ([name]) => name })
          .map(Object.fromEntries),
      ),
    }))
    fc.assert(
      fc.property(value, (made) => {
        expect(canonicalJson(made)).toBe(canonicalize(made))
      }),
      { numRuns: 2000 },
    )
  })

  it('is parsed by the strict parser to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'))
        const text = canonicalJson(value)
        expect(canonicalJson(parseStrictJson(Buffer.from(text), runInputBounds))).toBe(text)
      }),
    )
  })
})
