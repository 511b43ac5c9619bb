import { parseStrictJson, runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalDigest, canonicalJson } from '../../server/base/json/canonical-json.ts'

/* Properties of canonical JSON: one form for every notation of a value (RFC 8785). */
const unstorable = /\\u0000/
const json = fc.jsonValue({ maxDepth: 6 }).filter((value) => !unstorable.test(JSON.stringify(value)))
const read = (text: string) => parseStrictJson(Buffer.from(text), runInputBounds)

/** The same value with the fields of every object in another order. */
function shuffled(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, turn))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, shuffled(field, turn)] as const)
  const at = fields.length === 0 ? 0 : turn % fields.length
  return Object.fromEntries([...fields.slice(at), ...fields.slice(0, at)].reverse())
}

test('reading and writing again changes nothing', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(read(text))).toBe(text)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
    }),
  )
})

test('the order of fields does not matter, and digests agree', () => {
  fc.assert(
    fc.property(json, fc.nat(50), (value, turn) => {
      const other = shuffled(value, turn)
      expect(canonicalJson(other)).toBe(canonicalJson(value))
      expect(canonicalDigest(other)).toBe(canonicalDigest(value))
    }),
  )
})

test('white space, escapes and number notation do not matter', () => {
  const escaped = (text: string) =>
    text.replaceAll(/[ -!#-[\]-~]/g, (character) => {
      const code = character.charCodeAt(0)
      return code % 3 === 0 ? `\\u${code.toString(16).padStart(4, '0')}` : character
    })
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('\0')),
      fc.integer(),
      (text, number) => {
        const plain = { text, number }
        const spelled = ` {\n"number" :\t${number}.0, "text":"${escaped(JSON.stringify(text).slice(1, -1).replaceAll('\\"', '\\u0022').replaceAll('\\\\', '\\u005c'))}" } `
        fc.pre(!/\\[^u]/.test(JSON.stringify(text)))
        expect(canonicalDigest(read(spelled))).toBe(canonicalDigest(plain))
      },
    ),
  )
})

test('values of one form are equal', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      if (canonicalJson(one) === canonicalJson(other)) expect(shuffled(one, 0)).toEqual(shuffled(other, 0))
      else expect(one).not.toStrictEqual(other)
    }),
  )
})
