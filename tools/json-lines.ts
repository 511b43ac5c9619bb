type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

const lineWidth = 160

/** Of a value that does not fit: a parameter with its schema. */
const objectsInLine = 2

/**
 * JSON text for reviews: a value takes one line if it fits, or if it is no more than an object in an object; others take a line
 * for each of their values.
 */
export function jsonLines(value: Value, prefix = '', indent = ''): string {
  const line = `${indent}${prefix}${inOneLine(value)}`
  if (typeof value !== 'object' || value === null || line.length <= lineWidth) return line
  if (objectsOf(value) <= objectsInLine) return line
  const entries: [string, Value][] = isList(value)
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([name, item]) => [`${JSON.stringify(name)}: `, item])
  const [open, close] = isList(value) ? '[]' : '{}'
  const inner = entries.map(([name, item]) => jsonLines(item, name, `${indent}  `))
  return `${indent}${prefix}${open}\n${inner.join(',\n')}\n${indent}${close}`
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

function objectsOf(value: Value): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = isList(value) ? 0 : 1
  return Object.values(value).reduce<number>((sum, item) => sum + objectsOf(item), own)
}

function inOneLine(value: Value): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(inOneLine).join(', ')}]`
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${inOneLine(item)}`)
  return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}'
}
