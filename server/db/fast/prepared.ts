import type { CompiledQuery, QueryExecutorProvider, RawBuilder } from 'kysely'
import { arrayText } from './array-text.ts'

/** A parameter of a prepared statement; each execution supplies its value. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** The placeholders of a statement, by parameter name. */
export type Placeholders<Given> = { readonly [Name in keyof Given]: Placeholder }

/**
 * A statement whose text is compiled once instead of per request: compiling costs more than sending. `build` gets the
 * placeholders by name and must not depend on anything else.
 */
export function prepared<Given extends Record<string, unknown>, Row>(
  build: (placeholders: Placeholders<Given>) => RawBuilder<Row>,
): (db: QueryExecutorProvider, given: Given) => Promise<Row[]> {
  let text: CompiledQuery<Row> | undefined
  return async (db, given) => {
    text ??= build(placeholders<Given>()).compile(db)
    const parameters = text.parameters.map((value) =>
      value instanceof Placeholder ? encoded(given[value.name]) : value,
    )
    const { rows } = await db.getExecutor().executeQuery<Row>({ ...text, parameters })
    return rows
  }
}

const encoded = (value: unknown): unknown => (Array.isArray(value) ? arrayText(value) : value)

const placeholders = <Given>(): Placeholders<Given> =>
  new Proxy({} as Placeholders<Given>, { get: (_, name) => new Placeholder(String(name)) })
