// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables look like this
import { expect, it } from 'vitest'
import { shellWords } from './shell-words.ts'

it.each([
  ['RUN  a\tb', ['RUN', 'a', 'b']],
  [`RUN "a b" 'c d'e\\ f`, ['RUN', '"a b"', `'c d'e\\ f`]],
  [`"it's" '"'`, [`"it's"`, `'"'`]],
  ['"a \\" b" c', ['"a \\" b"', 'c']],
  ['$A ${B} ${C:-d/e} $$ "${F}" $', ['$A', '${B}', '${C:-d/e}', '$$', '"${F}"', '$']],
  ['$${A B}', ['$${A', 'B}']],
  ['', []],
])('splits %j', (text, words) => {
  expect(shellWords(text)).toEqual(words)
})

it.each([`it's`, '"open', '"\\"', '${A', '${A%b}', '${A:-b c}', '"${A:-"b"}"', '${}', '${1}'])(
  'is not certain of %j',
  (text) => {
    expect(shellWords(text)).toBeUndefined()
  },
)
