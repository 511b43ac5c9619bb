import type { CompiledQuery, RawBuilder } from 'kysely'
import { arrayText } from './array-text.ts'
import type { Sending } from './database.ts'

/** Stands in a statement's text for a value that each execution brings. */
class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** The places of a statement by the names of its values. */
export type Places<Given> = { readonly [Name in keyof Given]: Place }

/**
 * A statement whose text is made once, and not for every request: to put it together costs more than to send it. `build`
 * gets the values' places by their names and may depend on nothing else.
 */
export function prepared<Given extends Record<string, unknown>, Row>(
  build: (places: Places<Given>) => RawBuilder<Row>,
): (db: Sending, given: Given) => Promise<Row[]> {
  let text: CompiledQuery<Row> | undefined
  return async (db, given) => {
    text ??= build(places<Given>()).compile(db)
    const parameters = text.parameters.map((value) =>
      value instanceof Place ? sent(given[value.name]) : value,
    )
    const { rows } = await db.getExecutor().executeQuery<Row>({ ...text, parameters })
    return rows
  }
}

const sent = (value: unknown): unknown => (Array.isArray(value) ? arrayText(value) : value)

const places = <Given>(): Places<Given> =>
  new Proxy({} as Places<Given>, { get: (_, name) => new Place(String(name)) })
