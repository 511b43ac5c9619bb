import { type RawBuilder, sql } from 'kysely'

/** The SQL expression of each column of a row, by column name. */
export type ColumnExpressions<Row> = { readonly [Name in keyof Row]: RawBuilder<unknown> }

/** A select list of the columns under their names. */
export const selectList = <Row>(columns: ColumnExpressions<Row>): RawBuilder<unknown> =>
  sql.join(
    Object.entries<RawBuilder<unknown>>(columns).map(([name, from]) => sql`${from} as ${sql.ref(name)}`),
  )

/** Names of the columns that hold a time. */
type TimeColumns<Row> = {
  [Name in keyof Row]: Extract<Row[Name], Date> extends never ? never : Name
}[keyof Row]

/**
 * Rows serialized by Postgres as one text each. Equal rows have equal texts, so a cache of rendered rows can compare the
 * text without parsing it. Numbers must be below 2^53, and no column may hold bytes.
 */
export class RowText<Row> {
  /** Select expression of a row's text: one line without a line break at its end. */
  readonly sql: RawBuilder<string>
  readonly #names: string[]
  readonly #times: ReadonlySet<string>

  constructor(columns: ColumnExpressions<Row>, times: Record<TimeColumns<Row> & string, true>) {
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
