import type { Control, Option, TextFormat } from './field.ts'
import { CannotPlan } from './flatten.ts'
import { isObject, type JsonObject } from './json.ts'
import { labelOf, optionMax, textOf, titleMax } from './plan-texts.ts'

const optionsMax = 1000
const formats: readonly TextFormat[] = [
  ...(['email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'regex', 'duration', 'json-pointer'] as const),
]
const moments = ['date', 'time', 'date-time'] as const
const longText = 200
const textLike = /text|description|comment|message|notes?|body|prompt|beschreibung|nachricht/i

/** The control of a value that has no parts. */
export function scalarOf(flat: JsonObject, type: string): Control {
  if (type === 'boolean') return { kind: 'flag' }
  if (type === 'null') return { kind: 'nothing' }
  if (type === 'integer' || type === 'number') return { kind: 'number', isInteger: type === 'integer' }
  if (type !== 'string') throw new CannotPlan('mixed_types')
  if (flat['x-file'] === true) return { kind: 'run_file' }
  if (flat.contentEncoding === 'base64') {
    return {
      kind: 'bytes',
      ...(typeof flat.contentMediaType === 'string' && { mediaType: flat.contentMediaType }),
    }
  }
  const moment = moments.find((format) => format === flat.format)
  if (moment) return { kind: 'moment', format: moment }
  const format = formats.find((known) => known === flat.format)
  const isLong =
    typeof flat.maxLength === 'number'
      ? flat.maxLength > longText
      : textLike.test(textOf(flat.title, titleMax) ?? '')
  const hasLines = format === undefined && (flat['x-lines'] !== undefined || isLong)
  return { kind: 'text', hasLines, ...(format && { format }) }
}

/** The values that may be chosen, from `enum` or from branches that are one value each. */
export function optionsOf(flat: JsonObject): Option[] | undefined {
  if (Array.isArray(flat.enum)) {
    if (flat.enum.length === 0) throw new CannotPlan('no_value')
    return flat.enum.slice(0, optionsMax).map((value) => ({ value, label: labelOf(value) }))
  }
  const branches = flat.oneOf ?? flat.anyOf
  if (!Array.isArray(branches) || branches.length === 0) return undefined
  const options = branches.slice(0, optionsMax).map((branch): Option | undefined => {
    if (!isObject(branch) || !Object.hasOwn(branch, 'const')) return undefined
    const value = branch.const ?? null
    return { value, label: textOf(branch.title, optionMax) ?? labelOf(value) }
  })
  return options.every((option) => option !== undefined) ? options : undefined
}
