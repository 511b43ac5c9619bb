import { useEffect, useState } from 'react'
import { useStore } from '../data/store.ts'
import { FixedRows, gridCell } from '../parts/fixed-rows.tsx'
import { startWorker } from '../parts/own-worker.ts'
import { SortHead } from '../parts/sort-head.tsx'
import { useTexts } from '../texts/texts.tsx'
import workerUrl from './csv.worker.ts?worker&url'
import { CsvClient } from './csv-client.ts'
import styles from './results.module.css'

interface Order {
  column: number
  isDescending: boolean
}

/** A file of CSV or TSV as a table, of any number of rows. A press on a heading sorts by its column, down, and as it was. */
export function CsvView({ bytes, label }: { bytes: ArrayBuffer; label: string }) {
  const t = useTexts().results
  const [csv] = useState(() => new CsvClient(() => startWorker(workerUrl)))
  const { table, blocks } = useStore(csv.shown)
  const [shown, setShown] = useState({ first: 0, end: 0 })
  const [order, setOrder] = useState<Order>()
  useEffect(() => csv.open(bytes), [csv, bytes])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another order has other rows
  useEffect(() => csv.want(shown.first, shown.end), [csv, shown, table, blocks])
  if (table === undefined) return <p className={styles.soft}>{t.reading}</p>

  function press(column: number) {
    const isSame = order?.column === column
    const next = isSame && order.isDescending ? undefined : { column, isDescending: isSame }
    setOrder(next)
    csv.sort(next?.column, next?.isDescending ?? false)
  }

  const widthOf = (column: number) => ({ inlineSize: `${(table.widths[column] ?? 0) + 3}ch` })
  const orderOf = (column: number) =>
    order?.column !== column ? 'none' : order.isDescending ? 'descending' : 'ascending'
  return (
    <div className={styles.grid}>
      <FixedRows
        kind="grid"
        label={label}
        count={table.count}
        rowHeight={28}
        onWindow={(first, end) => setShown({ first, end })}
        head={table.columns.map((name, column) => (
          <SortHead
            // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by their position
            key={column}
            name={name}
            order={orderOf(column)}
            className={styles.cell}
            style={widthOf(column)}
            onPress={() => press(column)}
          />
        ))}
        row={(row) =>
          table.columns.map((_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their position
            <span key={column} {...gridCell} className={styles.cell} style={widthOf(column)} dir="auto">
              {csv.cells(row)?.[column]}
            </span>
          ))
        }
      />
      <p className={styles.soft}>{t.rows(table.count)}</p>
    </div>
  )
}
