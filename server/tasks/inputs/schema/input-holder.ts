/** The object that has the `input` of a body, below the keys `within`; undefined if the body has none there. */
export function inputHolder(body: unknown, within: readonly string[] = []): { input: unknown } | undefined {
  let holder = body
  for (const key of within) holder = isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
  return isObject(holder) && Object.hasOwn(holder, 'input') ? (holder as { input: unknown }) : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
