import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { type Html, html } from '../reference/html.ts'

/*
 * A value of JSON as a tree, and as tables where it holds lists of objects. The output of a job is hostile: the work and the size
 * of the page are bounded, whatever the value is.
 */

const nodesMax = 2000
const depthMax = 16
const textMax = 500
const rowsMax = 200
const columnsMax = 20
const tablesMax = 4

type Record_ = Record<string, unknown>

const cut = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax)}…` : text)

/**
 * A value for people: its plain fields, then its lists of objects as tables, and all of it as a tree if it holds more.
 */
export function valueView(value: unknown): Html {
  const fields = isJsonObject(value) ? Object.entries(value).filter(([, field]) => isPlain(field)) : []
  const tables = tablesOf(value)
  if (fields.length === 0 && tables.length === 0) return treeOf(value)
  const view = html`${fieldTable(fields)}${tables}`
  return isWholeIn(value)
    ? view
    : html`${view}<details><summary>All of it</summary>${treeOf(value)}</details>`
}

const fieldsMax = 100

function fieldTable(fields: [string, unknown][]): Html {
  if (fields.length === 0) return html``
  const rows = fields
    .slice(0, fieldsMax)
    .map(
      ([name, field]) =>
        html`<tr><th scope="row">${labelOf(name)}</th><td>${plainText(cellText(field))}</td></tr>`,
    )
  return html`<div class="wide"><table class="fields">${rows}</table></div>`
}

/** A name of a field as words. */
const labelOf = (name: string): string => {
  const words = plainText(cut(name)).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Whether fields and tables show the value completely. */
function isWholeIn(value: unknown): boolean {
  if (Array.isArray(value)) return isWholeTable(value)
  const fields = Object.values(value as Record_)
  const tables = fields.filter((field) => !isPlain(field))
  return (
    fields.length <= fieldsMax &&
    tables.length <= tablesMax &&
    fields.every((field) => (isPlain(field) ? isUncut(field) : isWholeTable(field)))
  )
}

const isUncut = (value: unknown): boolean => typeof value !== 'string' || value.length <= textMax

const isWholeTable = (list: unknown): boolean =>
  isTable(list) &&
  list.length <= rowsMax &&
  list.every(
    (row) =>
      Object.keys(row).length <= columnsMax &&
      Object.values(row).every((cell) => isPlain(cell) && isUncut(cell)),
  )

/** The value as lists; those within it can be folded. */
export const treeOf = (value: unknown): Html =>
  branch(value, { left: nodesMax }, { depth: 0, label: undefined })

function branch(
  value: unknown,
  budget: { left: number },
  { depth, label }: { depth: number; label: Html | undefined },
): Html {
  budget.left -= 1
  if (typeof value !== 'object' || value === null) return html`${label} ${leaf(value)}`
  const entries = Object.entries(value)
  const size = html`<span class="soft">${sizeWords(entries.length, Array.isArray(value))}</span>`
  if (entries.length === 0 || depth >= depthMax || budget.left <= 0) return html`${label} ${size}`
  const items: Html[] = []
  for (const [key, child] of entries) {
    if (budget.left <= 0) {
      items.push(html`<li class="soft">${entries.length - items.length} more</li>`)
      break
    }
    const within = { depth: depth + 1, label: html`<b>${plainText(cut(key))}</b>` }
    items.push(html`<li>${branch(child, budget, within)}</li>`)
  }
  const list = html`<ul>${items}</ul>`
  if (label === undefined) return list
  return depth < 3
    ? html`<details open><summary>${label} ${size}</summary>${list}</details>`
    : html`<details><summary>${label} ${size}</summary>${list}</details>`
}

const sizeWords = (count: number, isList: boolean): string =>
  `${count} ${isList ? 'item' : 'field'}${count === 1 ? '' : 's'}`

const leaf = (value: unknown): Html =>
  typeof value === 'string'
    ? html`<span>${plainText(cut(value))}</span>`
    : html`<code>${JSON.stringify(value) ?? ''}</code>`

/** The tables in a value: itself, or the lists of objects that it names. */
export function tablesOf(value: unknown): Html[] {
  if (Array.isArray(value)) return isTable(value) ? [recordTable('', value)] : []
  if (!isJsonObject(value)) return []
  const lists = Object.entries(value).filter((entry): entry is [string, Record_[]] => isTable(entry[1]))
  return lists.slice(0, tablesMax).map(([name, list]) => recordTable(name, list))
}

const isTable = (value: unknown): value is Record_[] =>
  Array.isArray(value) && value.length > 0 && value.slice(0, rowsMax).every(isJsonObject)

function recordTable(name: string, list: Record_[]): Html {
  const rows = list.slice(0, rowsMax)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).slice(0, columnsMax)))].slice(
    0,
    columnsMax,
  )
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])))
  return tableOf(name, [columns, ...cells], list.length - rows.length)
}

function cellText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return sizeWords(Object.keys(value).length, Array.isArray(value))
}

/** The first row is the heading. `more`: rows beyond those given. */
export function tableOf(name: string, [heading = [], ...rows]: readonly string[][], more: number): Html {
  const text = (cell: string) => plainText(cut(cell))
  return html`<div class="wide"><table>${name === '' ? '' : html`<caption>${labelOf(name)}</caption>`}
<thead><tr>${heading.map((cell) => html`<th scope="col">${text(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${text(cell)}</td>`)}</tr>`)}</tbody>
</table></div>${more > 0 ? html`<p class="soft">and more rows</p>` : ''}`
}
