import type { SeededRandom } from '../../server/base/seeded-random.ts'
import { hostileNames, hostileValues } from './hostile-values.ts'

/** The value with one mutation: another value, a field less, or a field more. */
export function mutate(draw: SeededRandom, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || draw.chance(0.2)) return another(draw, value)
  if (Array.isArray(value)) return mutateList(draw, value)
  const fields = Object.entries(value)
  if (fields.length === 0 || draw.chance(0.2))
    return withField(value, draw.of(hostileNames), draw.of(hostileValues))
  const [name, field] = draw.of(fields)
  if (draw.chance(0.2)) return Object.fromEntries(fields.filter(([other]) => other !== name))
  return withField(value, name, mutate(draw, field))
}

function mutateList(draw: SeededRandom, list: unknown[]): unknown[] {
  if (list.length === 0 || draw.chance(0.3)) return [...list, draw.of(hostileValues)]
  const at = draw.below(list.length)
  return list.map((item, index) => (index === at ? mutate(draw, item) : item))
}

/** A similar value or a hostile one. */
function another(draw: SeededRandom, value: unknown): unknown {
  if (draw.chance(0.5)) return draw.of(hostileValues)
  if (typeof value === 'number') return value + draw.of([-1, 1, 0.5, 1e9, -1e9])
  if (typeof value === 'string')
    return draw.of([`${value}x`, value.slice(1), value.toUpperCase(), `${value}\0`])
  return draw.of(hostileValues)
}

/** `defineProperty`, because `__proto__` must become a field and not a prototype. */
function withField(object: object, name: string, field: unknown): object {
  const copy = Object.fromEntries(Object.entries(object))
  Object.defineProperty(copy, name, { value: field, enumerable: true, configurable: true, writable: true })
  return copy
}
