import { defineVocabulary, loadDialect } from '@hyperjump/json-schema/experimental'

/** Vocabularies of the dialect itself; true: a schema that requires it may be used. */
const vocabularies = Object.fromEntries(
  ['core', 'applicator', 'validation', 'meta-data', 'format-annotation', 'content', 'unevaluated'].map(
    (name) => [`https://json-schema.org/draft/2020-12/vocab/${name}`, true],
  ),
)

/**
 * Makes every key of a schema or an instance an ordinary key. Only for a thread that does nothing but check schemas.
 * The validator looks up keywords in plain objects, which inherit some names: `__proto__` is removed from them, and
 * the other names become unknown keywords, which draft 2020-12 treats as annotations without effect.
 */
export function makeAllKeysPlain(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  const ignored = 'https://schema.invalid/vocab/ignored'
  const unknown = (keyword: string) => `https://json-schema.org/keyword/unknown#${keyword}`
  defineVocabulary(ignored, Object.fromEntries(inherited.map((keyword) => [keyword, unknown(keyword)])))
  loadDialect('https://json-schema.org/draft/2020-12/schema', { ...vocabularies, [ignored]: true }, true)
}
