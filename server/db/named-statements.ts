import type pg from 'pg'
import { plannedOnceTag } from './planned-once.ts'

/** Statements that are named at most; the program has fewer, but for lists of varying length. */
const maxNames = 400

const names = new Map<string, string>()

/** The name of a statement's text, the same on every connection; undefined once there are too many. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= maxNames) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

/**
 * Makes a connection name its statements with parameters, and those that are tagged as planned once, so that Postgres plans each once a connection and not at
 * each call: planning was most of what the claim of a run cost.
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
