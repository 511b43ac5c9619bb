/** The former answer of a query and its key, as `apiQuery` makes it. */
interface Former {
  queryKey: readonly unknown[]
}

/**
 * A `placeholderData` that keeps the former answer until the next one is there, as long as both have the same value at `names`, of the
 * parameters of path or query: an answer about one thing is never shown as that about another.
 */
export const keptWith =
  (of: object, ...names: readonly string[]) =>
  <Answer>(answer: Answer | undefined, former?: Former): Answer | undefined => {
    const before = former && valuesOf(former.queryKey)
    const now = of as Record<string, unknown>
    return before && names.every((name) => before[name] === now[name]) ? answer : undefined
  }

const valuesOf = ([, params, query]: readonly unknown[]): Record<string, unknown> => ({
  ...(params as object),
  ...(query as object),
})
