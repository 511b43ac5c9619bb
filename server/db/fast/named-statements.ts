import type pg from 'pg'

/** Prefix of a statement whose plan each connection keeps (`planned-once.ts`). */
export const plannedOnceTag = '/* planned once */ '

/** Maximum number of named statements of a kind. The program has fewer, apart from statements with lists of varying length. */
const maxNames = 400

const names = new Map<string, string>()
/** Statements with the planned-once tag have names of their own: they need theirs however many others there are. */
const plannedOnceNames = new Map<string, string>()

/** The name of a statement's text, the same on every connection. Undefined for a new text once `maxNames` is reached. */
function nameOf(text: string): string | undefined {
  const isPlannedOnce = text.startsWith(plannedOnceTag)
  const named = isPlannedOnce ? plannedOnceNames : names
  const known = named.get(text)
  if (known !== undefined || named.size >= maxNames) return known
  const name = `${isPlannedOnce ? 'p' : 's'}${named.size}`
  named.set(text, name)
  return name
}

/**
 * Makes a connection name its statements that have parameters or the planned-once tag, so that Postgres plans each of them
 * once per connection instead of at each call. Planning was most of the cost of claiming a run.
 */
export function nameStatements(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const named = (...given: unknown[]) => {
    const [text, values, ...rest] = given
    const isKept =
      typeof text === 'string' &&
      Array.isArray(values) &&
      (values.length > 0 || text.startsWith(plannedOnceTag))
    const name = isKept ? nameOf(text) : undefined
    return name === undefined ? query(...given) : query({ name, text, values }, ...rest)
  }
  client.query = named as typeof client.query
}
