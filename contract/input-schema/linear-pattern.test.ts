import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../server/base/seeded-random.ts'
import { linearPattern } from './linear-pattern.ts'

const regexpOf = (source: string) => new RegExp(source, 'u')

/** The engine's result is the expected one, except that the engine also matches within a surrogate pair. */
const texts = [
  '',
  'a',
  'b',
  'aa',
  'ab',
  'A1_',
  ' a\n',
  '\u2028',
  'é',
  '😀',
  'a]b',
  '\\',
  'ab ab',
  '\0\t',
  '1-2',
]
const sources = [
  '',
  'a',
  'a|b',
  '|a',
  '^a+$',
  '^(?:a|b)*?$',
  '^(a(b))$',
  '^(?<name>a)(?<other>b)$',
  '(a|ab)(c|bcd)?$',
  '^.$',
  '^[^]$',
  '[]',
  '^[a\\]b]{3}$',
  '^[\\u{1F600}]$',
  '^\\u{1F600}$',
  '^\\ud83d\\ude00$',
  '^\\u0061\\x62?$',
  '^\\cJ|\\cj',
  '\\p{L}+',
  '^\\P{Letter}*$',
  '\\bab\\b',
  '\\w\\b\\s',
  '^\\B',
  '^(?:)*a',
  '^(?:){9999999}a',
  '^a{2}$',
  '^a{0}b$',
  '^(?:a{1,2}){1,}$',
  '^\\w{2,3}$',
  '\\d[-]?',
  '\\\\',
  '^[\\0\\t]+$',
]

describe('a pattern in linear time', () => {
  it.each(sources)('%j matches what the engine matches', (source) => {
    const regexp = regexpOf(source)
    const pattern = linearPattern(regexp)
    expect(pattern).not.toBe(regexp)
    expect(texts.filter((text) => pattern.test(text))).toEqual(texts.filter((text) => regexp.test(text)))
  })

  it('matches what the engine matches, for seeded random patterns', () => {
    for (let seed = 0; seed < 4000; seed += 1) {
      const draw = new SeededRandom(seed)
      const regexp = regexpOf(anyPattern(draw, 3))
      const pattern = linearPattern(regexp)
      expect(pattern).not.toBe(regexp)
      const drawn = Array.from({ length: 5 }, () => anyText(draw))
      expect([seed, ...drawn.filter((text) => pattern.test(text))]).toEqual([
        seed,
        ...drawn.filter((text) => regexp.test(text)),
      ])
    }
  })

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(a*)*b$', '(.*)(.*)(.*)(.*)x$', '^([a-z]{1,20}){1,20}$'])(
    '%s ends, although the engine would backtrack without end',
    (source) => {
      expect(linearPattern(regexpOf(source)).test(`${'a'.repeat(100_000)}!`)).toBe(false)
    },
  )

  it.each(['(?=a)a', '(?!a)', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '((?=a)|b)', 'a{9999}'])(
    '%s is left to the engine',
    (source) => {
      const regexp = regexpOf(source)
      expect(linearPattern(regexp)).toBe(regexp)
    },
  )
})

const atoms = [
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '[ab]',
  '[^a]',
  '[]',
  '[^]',
  '\\p{L}',
  '\\u{1F600}',
  'é',
  '\\x41',
]
const places = ['^', '$', '\\b']
const repeats = ['', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '{0}']

function anyPattern(draw: SeededRandom, depth: number): string {
  const row = () => Array.from({ length: draw.below(4) }, () => anyPart(draw, depth)).join('')
  return Array.from({ length: draw.chance(0.3) ? 2 : 1 }, row).join('|')
}

function anyPart(draw: SeededRandom, depth: number): string {
  if (draw.chance(0.15)) return draw.of(places)
  if (depth === 0 || draw.chance(0.7)) return draw.of(atoms) + draw.of(repeats)
  return `${draw.of(['(', '(?:'])}${anyPattern(draw, depth - 1)})${draw.of(repeats)}`
}

const anyText = (draw: SeededRandom) =>
  Array.from({ length: draw.below(8) }, () => draw.of(['a', 'b', 'A', '1', ' ', '\n', 'é', '😀', '_'])).join(
    '',
  )
