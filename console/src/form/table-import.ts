import { rowsOf, separatorOf } from '../parts/csv-cells.ts'
import { valueOfText } from './cell-value.ts'
import type { Field } from './field.ts'
import type { Json } from './json.ts'

const importedRowsMax = 100_000

/** Rows of a file whose first line names the columns, by their titles or names in any case. Other columns are left out. */
export function rowsOfCsv(text: string, columns: readonly Field[]): Json[] {
  const whole = text.replace(/^\ufeff/, '')
  const [names = [], ...rows] = rowsOf(whole, separatorOf(whole), importedRowsMax)
  const matched = names.map((name) => columns.find((column) => isNamed(column, name)))
  return rows.map((cells) => {
    const entries = cells.flatMap((cell, at): [string, Json][] => {
      const column = matched[at]
      const value = column && valueOfText(column, cell)
      return column && value !== undefined ? [[String(column.path.at(-1)), value]] : []
    })
    return Object.fromEntries(entries)
  })
}

const isNamed = ({ title, path }: Field, name: string): boolean =>
  [title, String(path.at(-1))].some((own) => own.toLowerCase() === name.trim().toLowerCase())
