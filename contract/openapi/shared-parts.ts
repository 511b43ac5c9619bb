import type { JsonObject } from './json.ts'

/** A part of an operation, and its name as a component. */
export interface Part {
  name: string
  value: JsonObject
}

/**
 * Parts that several operations have stand in the document once, as components, in the order of their names. Of different
 * parts with one name, all but the first get a number.
 */
export class SharedParts {
  readonly components: JsonObject
  readonly #folder: string
  /** Names by the text of the part. */
  readonly #names = new Map<string, string>()

  constructor(folder: string, all: Part[]) {
    this.#folder = folder
    const parts = Map.groupBy(all, ({ value }) => JSON.stringify(value))
    const shared = [...parts].filter(([, same]) => same.length > 1)
    const named = shared.flatMap(([text, [part]]): [string, JsonObject][] => {
      if (!part) return []
      const name = unused(part.name, new Set(this.#names.values()))
      this.#names.set(text, name)
      return [[name, part.value]]
    })
    this.components = Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** Parts as an operation has them: themselves, or references. */
  inPlace(parts: Record<string, Part>): JsonObject {
    const placed = Object.entries(parts).map(([key, { value }]): [string, JsonObject] => {
      const name = this.#names.get(JSON.stringify(value))
      return [key, name === undefined ? value : { $ref: `#/components/${this.#folder}/${name}` }]
    })
    return Object.fromEntries(placed)
  }
}

function unused(name: string, taken: Set<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name}${number}`
  return free
}
