import { defineVocabulary, loadDialect } from '@hyperjump/json-schema/experimental'

/**
 * Makes every key of a schema or an instance a key like others, in a thread that does nothing but check them. The
 * validator looks keywords up in plain objects, which have some names from birth: `__proto__` is taken from them, and
 * the others become what any keyword is that draft 2020-12 does not know, an annotation without effect.
 */
export function makeAllKeysPlain(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  const ignored = 'https://schema.invalid/vocab/ignored'
  const unknown = (keyword: string) => `https://json-schema.org/keyword/unknown#${keyword}`
  defineVocabulary(ignored, Object.fromEntries(inherited.map((keyword) => [keyword, unknown(keyword)])))
  loadDialect('https://json-schema.org/draft/2020-12/schema', { ...vocabularies, [ignored]: true }, true)
}

/** Those of the dialect itself; true: a schema that needs it may be used. */
const vocabularies = Object.fromEntries(
  ['core', 'applicator', 'validation', 'meta-data', 'format-annotation', 'content', 'unevaluated'].map(
    (name) => [`https://json-schema.org/draft/2020-12/vocab/${name}`, true],
  ),
)
