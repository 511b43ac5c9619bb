import type { ReactNode } from 'react'
import { FixedRows, gridCell, gridHead } from './fixed-rows.tsx'
import { TenantText } from './tenant-text.tsx'
import styles from './text-grid.module.css'

export interface TextColumn<Row> {
  name: string
  /** For the width of the column. */
  text: (row: Row) => string
  /** Drawn in place of the text. */
  cell?: (row: Row) => ReactNode
}

interface Props<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly TextColumn<Row>[]
}

const rowHeight = 32
const rowsInView = 14
const widestColumn = 64
/** Between two columns. */
const gap = 3

/** A table of any number of rows with short texts, as wide as they need. */
export function TextGrid<Row>({ label, rows, columns }: Props<Row>) {
  const widths = columns.map(({ name, text }) => ({ inlineSize: `${widthOf(name, rows.map(text))}ch` }))
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
        head={columns.map(({ name }, at) => (
          <span key={name} {...gridHead} className={styles.cell} style={widths[at]}>
            {name}
          </span>
        ))}
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

function widthOf(name: string, texts: readonly string[]): number {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), name.length)
  return Math.min(longest, widestColumn) + gap
}
