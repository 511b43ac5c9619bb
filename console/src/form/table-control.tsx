import type { ClipboardEvent } from 'react'
import { Button } from '../parts/button.tsx'
import { FixedRows, gridCell, gridHead } from '../parts/fixed-rows.tsx'
import { useTexts } from '../texts/texts.tsx'
import { textOfValue, valueOfText } from './cell-value.ts'
import type { Field } from './field.ts'
import { FieldGroup } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { isObject, type Json, ownValue, valueAt, withValueAt } from './json.ts'
import { pastedRows } from './pasted.ts'
import { rowsOfCsv } from './table-import.ts'

type TableField = Extract<Field, { kind: 'table' }>

const rowHeight = 40
/** Of more rows only those in view are elements. */
const rowsInView = 10
const nothing: Json[] = []

/** A list of flat objects. Cells that are pasted from a spreadsheet fill the table from where they are pasted. */
export function TableControl({ field }: { field: TableField }) {
  const t = useTexts().inputForm
  const form = useForm()
  const value = valueAt(form.value, field.path)
  const rows = Array.isArray(value) ? value : nothing
  const { columns } = field
  const set = (next: Json[]) => form.set(field.path, next)

  function setCell(row: number, column: Field, text: string) {
    form.set([...field.path, row, nameOf(column)], valueOfText(column, text))
  }

  function onPaste(event: ClipboardEvent, row: number, at: number) {
    const cells = pastedRows(event.clipboardData.getData('text/plain'))
    if (cells.length === 1 && (cells[0]?.length ?? 0) < 2) return
    event.preventDefault()
    const filled = [...rows]
    for (const [down, line] of cells.entries()) {
      let next: Json = filled[row + down] ?? {}
      for (const [across, text] of line.entries()) {
        const column = columns[at + across]
        if (column) next = withValueAt(next, [nameOf(column)], valueOfText(column, text)) ?? next
      }
      filled[row + down] = next
    }
    set(filled)
  }

  return (
    <FieldGroup field={field} isPart>
      <div
        className={styles.table}
        style={{ blockSize: rowHeight * (Math.min(rows.length, rowsInView) + 1) + 2 }}
      >
        <FixedRows
          kind="grid"
          label={field.title}
          count={rows.length}
          rowHeight={rowHeight}
          head={
            <>
              {columns.map((column) => (
                <span key={column.number} className={styles.cell} {...gridHead}>
                  <bdi>{column.title}</bdi>
                </span>
              ))}
              <span className={styles.tools} {...gridHead}>
                <span className={styles.hidden}>{t.remove}</span>
              </span>
            </>
          }
          row={(row) => (
            <>
              {columns.map((column, at) => (
                <span key={column.number} className={styles.cell} {...gridCell}>
                  <Cell
                    column={column}
                    label={t.cell(column.title, row + 1)}
                    value={isObject(rows[row]) ? ownValue(rows[row], nameOf(column)) : undefined}
                    onText={(text) => setCell(row, column, text)}
                    onPaste={(event) => onPaste(event, row, at)}
                  />
                </span>
              ))}
              <span className={styles.tools} {...gridCell}>
                <Button
                  kind="quiet"
                  icon="trash"
                  label={t.removeItem(row + 1)}
                  onPress={() => set(rows.toSpliced(row, 1))}
                >
                  {null}
                </Button>
              </span>
            </>
          )}
        />
      </div>
      <TableFoot
        rows={rows.length}
        onAdd={() => set([...rows, {}])}
        onImport={(text) => set([...rows, ...rowsOfCsv(text, columns)])}
      />
    </FieldGroup>
  )
}

interface TableFootProps {
  rows: number
  onAdd: () => void
  onImport: (text: string) => void
}

function TableFoot({ rows, onAdd, onImport }: TableFootProps) {
  const t = useTexts().inputForm
  async function take(file: File | undefined) {
    if (file) onImport(await file.text())
  }
  return (
    <div className={styles.row}>
      <Button icon="plus" onPress={onAdd}>
        {t.addRow}
      </Button>
      <label className={styles.import}>
        {t.importCsv}
        <input
          type="file"
          accept=".csv,.tsv,text/csv"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      <span className={styles.soft}>{t.rows(rows)}</span>
    </div>
  )
}

const nameOf = (column: Field): string => String(column.path.at(-1))

interface CellProps {
  column: Field
  label: string
  value: Json | undefined
  onText: (text: string) => void
  onPaste: (event: ClipboardEvent) => void
}

function Cell({ column, label, value, onText, onPaste }: CellProps) {
  const t = useTexts().inputForm
  const text = textOfValue(value)
  const options = optionsOf(column, t)
  if (options === undefined) {
    return (
      <input
        className={styles.cellInput}
        aria-label={label}
        inputMode={column.kind === 'number' ? 'decimal' : undefined}
        defaultValue={text}
        key={text}
        onBlur={(event) => event.target.value !== text && onText(event.target.value)}
        onPaste={onPaste}
      />
    )
  }
  return (
    <select
      className={styles.cellInput}
      aria-label={label}
      value={text}
      onChange={(event) => onText(event.target.value)}
    >
      <option value="" />
      {options.map((option) => (
        <option key={option.text} value={option.text}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

function optionsOf(
  column: Field,
  t: { yes: string; no: string },
): { text: string; label: string }[] | undefined {
  if (column.kind === 'choice') return column.options.map(({ label }) => ({ text: label, label }))
  if (column.kind !== 'flag') return undefined
  return [
    { text: 'true', label: t.yes },
    { text: 'false', label: t.no },
  ]
}
