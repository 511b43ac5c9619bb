import { type RawBuilder, sql } from 'kysely'

/** What a statement has of each column of a row, by the column's name. */
export type Columns<Row> = { readonly [Name in keyof Row]: RawBuilder<unknown> }

/** The columns under their names, for a `select`. */
export const selected = <Row>(columns: Columns<Row>): RawBuilder<unknown> =>
  sql.join(
    Object.entries<RawBuilder<unknown>>(columns).map(([name, from]) => sql`${from} as ${sql.ref(name)}`),
  )

/** Names of columns that hold a time, and of no others. */
type TimesOf<Row> = {
  [Name in keyof Row]: Extract<Row[Name], Date> extends never ? never : Name
}[keyof Row]

/**
 * Rows that come as one text each, equal when the rows are: who keeps what was made of a row can tell without reading
 * the row's columns whether it is still the same. Numbers must be below 2^53, and no column may hold bytes.
 */
export class RowText<Row> {
  /** The text of a row, for a `select`: one line without a line break at its end. */
  readonly sql: RawBuilder<string>
  readonly #names: string[]
  readonly #times: ReadonlySet<string>

  constructor(columns: Columns<Row>, times: Record<TimesOf<Row> & string, true>) {
    this.sql = sql`json_build_array(${sql.join(Object.values<RawBuilder<unknown>>(columns))})::text`
    this.#names = Object.keys(columns)
    this.#times = new Set(Object.keys(times))
  }

  read(text: string): Row {
    const values: unknown[] = JSON.parse(text)
    return Object.fromEntries(this.#names.map((name, at) => [name, this.#value(name, values[at])])) as Row
  }

  #value(name: string, value: unknown): unknown {
    return value !== null && this.#times.has(name) ? new Date(value as string) : value
  }
}
