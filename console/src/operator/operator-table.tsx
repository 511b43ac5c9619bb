import type { ReactNode } from 'react'
import table from '../parts/table.module.css'
import styles from './overview.module.css'

export interface Column<Row> {
  name: string
  show: (row: Row) => ReactNode
  /** Left out on a phone. */
  isWide?: boolean
  /** Single words of this service, which stay whole. */
  isWord?: boolean
}

interface TableProps<Row> {
  title: string
  /** Why there are no rows. */
  none: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
}

/** Rows of one kind below a heading, or why there are none. */
export function Table<Row>({ title, none, rows, keyOf, columns }: TableProps<Row>) {
  const of = ({ isWide, isWord }: Column<Row>) =>
    [isWide && styles.wide, isWord && table.word].filter(Boolean).join(' ') || undefined
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p>{none}</p>
      ) : (
        <table className={table.table}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" className={of(column)}>
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.name} className={of(column)}>
                    {column.show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
