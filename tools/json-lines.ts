type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

const lineWidth = 160

/**
 * JSON text for reviews: a value takes one line if it fits, or if it has no values within values; others take a line for each of
 * theirs.
 */
export function jsonLines(value: Value, prefix = '', indent = ''): string {
  const line = `${indent}${prefix}${inOneLine(value)}`
  if (typeof value !== 'object' || value === null || line.length <= lineWidth) return line
  const entries: [string, Value][] = isList(value)
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([name, item]) => [`${JSON.stringify(name)}: `, item])
  if (!entries.some(([, item]) => typeof item === 'object' && item !== null)) return line
  const [open, close] = isList(value) ? '[]' : '{}'
  const inner = entries.map(([name, item]) => jsonLines(item, name, `${indent}  `))
  return `${indent}${prefix}${open}\n${inner.join(',\n')}\n${indent}${close}`
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

function inOneLine(value: Value): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(inOneLine).join(', ')}]`
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${inOneLine(item)}`)
  return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}'
}
