import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useMemo } from 'react'
import { FixedRows, gridCell, gridHead } from '../parts/fixed-rows.tsx'
import { useTexts } from '../texts/texts.tsx'
import { isContainer } from './json-rows.ts'
import { JsonScalar, JsonTree } from './json-tree.tsx'
import { type OutputTable, partsOf } from './output-parts.ts'
import styles from './results.module.css'
import { TextView } from './text-view.tsx'

const rowHeight = 28
const rowsInView = 20

/**
 * The output of a run: first its plain fields and its lists of objects as tables, then all of it as a tree. Text is shown as text.
 *
 *     <OutputView value={run.output.value} />
 *
 * Of a large output the screen reads the bytes (`readRunOutput`, at most 16 MiB) and gives their parsed value.
 */
export function OutputView({ value }: { value: unknown }) {
  const t = useTexts().results
  const { fields, tables, isWhole } = useMemo(() => partsOf(value), [value])
  if (typeof value === 'string') return <TextView text={value} />
  if (!isContainer(value)) return <JsonScalar value={value} />
  const tree = <JsonTree value={value} label={t.output} />
  if (fields.length === 0 && tables.length === 0) return tree
  return (
    <div className={styles.output}>
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map(([name, field]) => (
            <div key={name} className={styles.pair}>
              <dt>
                <bdi>{plainText(name)}</bdi>
              </dt>
              <dd>
                <JsonScalar value={field} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {tables.map((table) => (
        <RecordTable key={table.name ?? ''} table={table} />
      ))}
      <details open={!isWhole}>
        <summary>{t.asTree}</summary>
        {tree}
      </details>
    </div>
  )
}

/** A list of objects: a column for each field. */
function RecordTable({ table: { name, columns, rows } }: { table: OutputTable }) {
  const t = useTexts().results
  const label = name === undefined ? t.output : plainText(name)
  return (
    <section className={styles.section}>
      {name !== undefined && (
        <h3>
          <bdi>{label}</bdi>
        </h3>
      )}
      <div
        className={styles.list}
        style={{ blockSize: rowHeight * (Math.min(rows.length, rowsInView) + 1) + 2 }}
      >
        <FixedRows
          kind="grid"
          label={label}
          count={rows.length}
          rowHeight={rowHeight}
          head={columns.map((column) => (
            <span key={column} {...gridHead} className={styles.cell}>
              <bdi>{plainText(column)}</bdi>
            </span>
          ))}
          row={(index) =>
            columns.map((column) => (
              <span key={column} {...gridCell} className={styles.cell}>
                <CellText
                  value={rows[index] && Object.hasOwn(rows[index], column) ? rows[index][column] : undefined}
                />
              </span>
            ))
          }
        />
      </div>
      {rows.length > rowsInView && <p className={styles.soft}>{t.rows(rows.length)}</p>}
    </section>
  )
}

function CellText({ value }: { value: unknown }) {
  const t = useTexts().results
  if (value === undefined) return null
  if (!isContainer(value)) return <JsonScalar value={value} />
  const count = Object.keys(value).length
  return <span className={styles.soft}>{Array.isArray(value) ? t.items(count) : t.fields(count)}</span>
}
