import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { FieldBase, Limits } from './field.ts'
import type { JsonObject, Path } from './json.ts'
import { cut, helpMax, textOf, titleMax } from './plan-texts.ts'
import { typesOf } from './plan-types.ts'

const secretName = /pass(word|phrase)|secret|token|api[_-]?key|credential/i
const limitNames = [
  ...([
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minLength',
    'maxLength',
  ] as const),
  ...(['minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'] as const),
]

function limitsOf(flat: JsonObject): Limits {
  const limits: Limits = {}
  for (const name of limitNames) {
    const limit = flat[name]
    if (typeof limit === 'number') limits[name] = limit
  }
  return limits
}

/** The parts of every field: its texts, its limits, and whether it is asked for. */
export function baseOf(
  flat: JsonObject,
  { path, isRequired, name }: { path: Path; isRequired: boolean; name: string },
): FieldBase {
  const help = textOf(flat.description, helpMax)
  const [example] = Array.isArray(flat.examples) ? flat.examples : []
  return {
    path,
    number: 0,
    title: textOf(flat.title, titleMax) ?? plainText(cut(name, titleMax)),
    ...(help !== undefined && { help }),
    isRequired,
    isDeprecated: flat.deprecated === true,
    isReadOnly: flat.readOnly === true,
    isSecret:
      flat.writeOnly === true ||
      flat.format === 'password' ||
      (typesOf(flat).includes('string') && secretName.test(name)),
    ...(flat.default !== undefined && { default: flat.default }),
    ...(example !== undefined && { example }),
    limits: limitsOf(flat),
  }
}
