import type { ReactNode } from 'react'
import { FixedRows, gridCell, gridHead } from './fixed-rows.tsx'
import { type ColumnSort, SortHead } from './sort-head.tsx'
import { TenantText } from './tenant-text.tsx'
import styles from './text-grid.module.css'

export interface TextColumn<Row> {
  name: string
  /** For the width of the column. */
  text: (row: Row) => string
  /** Drawn in place of the text. */
  cell?: (row: Row) => ReactNode
  /** A press on the heading sorts. */
  sort?: ColumnSort
}

interface Props<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly TextColumn<Row>[]
  /** The rows by which columns get their width, where further ones are loaded later. */
  measured?: readonly Row[]
  /** The rows that are drawn, so that further ones can be loaded. */
  onWindow?: (first: number, end: number) => void
}

const rowHeight = 32
const rowsInView = 14
const widestColumn = 64
/** Between two columns. */
const gap = 3
/** Beside a heading that sorts. */
const arrow = 2

/** A table of any number of rows with short texts, as wide as they need. */
export function TextGrid<Row>({ label, rows, columns, measured = rows, onWindow }: Props<Row>) {
  const widths = columns.map(({ name, text, sort }) => ({
    inlineSize: `${widthOf(name.length + (sort ? arrow : 0), measured.map(text))}ch`,
  }))
  return (
    <div
      className={styles.grid}
      style={{ blockSize: `min(70dvh, ${(Math.min(rows.length, rowsInView) + 1.5) * rowHeight}px)` }}
    >
      <FixedRows
        kind="grid"
        label={label}
        count={rows.length}
        rowHeight={rowHeight}
        {...(onWindow && { onWindow })}
        head={columns.map(({ name, sort }, at) =>
          sort ? (
            <SortHead key={name} name={name} {...sort} className={styles.cell} style={widths[at]} />
          ) : (
            <span key={name} {...gridHead} className={styles.cell} style={widths[at]}>
              {name}
            </span>
          ),
        )}
        row={(index) => {
          const row = rows[index]
          if (row === undefined) return null
          return columns.map(({ name, text, cell }, at) => (
            <span key={name} {...gridCell} className={styles.cell} style={widths[at]}>
              {cell ? cell(row) : <TenantText text={text(row)} />}
            </span>
          ))
        }}
      />
    </div>
  )
}

function widthOf(heading: number, texts: readonly string[]): number {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), heading)
  return Math.min(longest, widestColumn) + gap
}
