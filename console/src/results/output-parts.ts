import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'

/*
 * The parts of an output that people read first: its plain fields and its lists of objects.
 */

const [tablesMax, columnsMax, fieldsMax] = [4, 20, 100]

export interface OutputTable {
  /** The field that has the list; undefined if the output is the list. */
  name: string | undefined
  columns: string[]
  rows: Readonly<Record<string, unknown>>[]
}

export interface OutputParts {
  fields: [name: string, value: unknown][]
  tables: OutputTable[]
  /** Fields and tables show all of it. */
  isWhole: boolean
}

type Fields = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

export function partsOf(value: unknown): OutputParts {
  if (isList(value)) return { fields: [], tables: [tableOf(undefined, value)], isWhole: isWholeTable(value) }
  if (!isJsonObject(value)) return { fields: [], tables: [], isWhole: false }
  const entries = Object.entries(value)
  const fields = entries.filter(([, field]) => isPlain(field)).slice(0, fieldsMax)
  const lists = entries.filter((entry): entry is [string, Fields[]] => isList(entry[1])).slice(0, tablesMax)
  return {
    fields,
    tables: lists.map(([name, list]) => tableOf(name, list)),
    isWhole: fields.length + lists.length === entries.length && lists.every(([, list]) => isWholeTable(list)),
  }
}

const isList = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every(isJsonObject)

/** The columns in the order in which rows bring them. */
const columnsOf = (rows: readonly Fields[]): Set<string> => {
  const columns = new Set<string>()
  for (const row of rows) {
    for (const name of Object.keys(row)) if (columns.size <= columnsMax) columns.add(name)
    if (columns.size > columnsMax) break
  }
  return columns
}

const tableOf = (name: string | undefined, rows: Fields[]): OutputTable => ({
  name,
  columns: [...columnsOf(rows)].slice(0, columnsMax),
  rows,
})

const isWholeTable = (rows: readonly Fields[]): boolean =>
  columnsOf(rows).size <= columnsMax && rows.every((row) => Object.values(row).every(isPlain))
