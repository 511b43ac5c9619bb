import { type Html, html } from '../reference/html.ts'

/*
 * A value of JSON as a tree, and as tables where it holds lists of objects. What a job wrote is hostile: the work and the size
 * of the page are bounded, whatever the value is.
 */

const nodesMax = 2000
const depthMax = 16
const textMax = 500
const rowsMax = 200
const columnsMax = 20
const tablesMax = 4

type Record_ = Record<string, unknown>

// biome-ignore lint/suspicious/noControlCharactersInRegex: what changes how the text around it is shown
const deceiving = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text that shows as itself alone: nothing in it changes the direction or the look of what is around it. */
export const plainText = (text: string): string => text.toWellFormed().replaceAll(deceiving, '\ufffd')

const cut = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax)}…` : text)

const isRecord = (value: unknown): value is Record_ =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as folded lists. */
export const treeOf = (value: unknown): Html => branch(value, { left: nodesMax }, 0)

function branch(value: unknown, budget: { left: number }, depth: number): Html {
  budget.left -= 1
  if (typeof value !== 'object' || value === null) return leaf(value)
  const entries = Object.entries(value)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0 || depth >= depthMax || budget.left <= 0)
    return html`<span class="soft">${size}</span>`
  const items: Html[] = []
  for (const [key, child] of entries) {
    if (budget.left <= 0) {
      items.push(html`<li class="soft">${entries.length - items.length} more</li>`)
      break
    }
    items.push(html`<li><b>${plainText(cut(key))}</b> ${branch(child, budget, depth + 1)}</li>`)
  }
  return depth < 2
    ? html`<details open><summary>${size}</summary><ul>${items}</ul></details>`
    : html`<details><summary>${size}</summary><ul>${items}</ul></details>`
}

const leaf = (value: unknown): Html =>
  typeof value === 'string'
    ? html`<span>${plainText(cut(value))}</span>`
    : html`<code>${JSON.stringify(value) ?? ''}</code>`

/** The tables in a value: itself, or the lists of objects that it names. */
export function tablesOf(value: unknown): Html[] {
  if (Array.isArray(value)) return isTable(value) ? [recordTable('', value)] : []
  if (!isRecord(value)) return []
  const lists = Object.entries(value).filter((entry): entry is [string, Record_[]] => isTable(entry[1]))
  return lists.slice(0, tablesMax).map(([name, list]) => recordTable(name, list))
}

const isTable = (value: unknown): value is Record_[] =>
  Array.isArray(value) && value.length > 0 && value.slice(0, rowsMax).every(isRecord)

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
  return Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`
}

/** The first row is the heading. `more`: rows beyond those given. */
export function tableOf(name: string, [heading = [], ...rows]: readonly string[][], more: number): Html {
  const text = (cell: string) => plainText(cut(cell))
  return html`<div class="wide"><table>${name === '' ? '' : html`<caption>${plainText(cut(name))}</caption>`}
<thead><tr>${heading.map((cell) => html`<th scope="col">${text(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${text(cell)}</td>`)}</tr>`)}</tbody>
</table></div>${more > 0 ? html`<p class="soft">and more rows</p>` : ''}`
}
