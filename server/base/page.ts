import { createHmac, type KeyObject } from 'node:crypto'
import { isMac, type MacKeys } from './keys/rotated-key.ts'

/** The position where a list continues: the sort values of the last row shown. */
export type Cursor = (string | number)[]

export interface PageRequest {
  page_size?: number | undefined
  page_token?: string | undefined
}

export interface Page<Item> {
  items: Item[]
  page_size: number
  next_page_token: string | null
}

/**
 * Opaque page tokens: the cursor and a MAC over it and the list's name, so that a client cannot forge one or use it
 * with another list. A token that does not verify restarts the list (contract part 1, "Pagination").
 */
export class PageTokens {
  readonly #keys: MacKeys

  constructor(keys: MacKeys) {
    this.#keys = keys
  }

  read(list: string, token: string | undefined): Cursor | undefined {
    const [payload, mac] = token?.split('.') ?? []
    if (!payload || !mac) return undefined
    if (!isMac(this.#keys, Buffer.from(mac, 'base64url'), (key) => macOf(key, list, payload)))
      return undefined
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Cursor
  }

  write(list: string, cursor: Cursor): string {
    const payload = Buffer.from(JSON.stringify(cursor)).toString('base64url')
    return `${payload}.${macOf(this.#keys.live()[0], list, payload).toString('base64url')}`
  }

  /**
   * Cuts `rows`, read with one row more than fit, to a page: `size` items, or fewer that have `maxBytes` together as JSON, but one at
   * least. `cursor` computes the cursor of the next page from the last row.
   */
  page<Row, Item>(
    list: string,
    rows: Row[],
    size: number,
    render: { item: (row: Row) => Item; cursor: (row: Row) => Cursor; maxBytes?: number },
  ): Page<Item> {
    const items = fitting(rows.slice(0, size), render)
    const last = rows[items.length - 1]
    return {
      items,
      page_size: size,
      next_page_token: rows.length > items.length && last ? this.write(list, render.cursor(last)) : null,
    }
  }
}

const macOf = (key: KeyObject, list: string, payload: string): Buffer =>
  createHmac('sha256', key).update(`page:${list}:${payload}`).digest().subarray(0, 16)

/** Items beyond `maxBytes` are not rendered: they may be many times as much. */
function fitting<Row, Item>(
  rows: readonly Row[],
  { item: itemOf, maxBytes }: { item: (row: Row) => Item; maxBytes?: number },
): Item[] {
  if (maxBytes === undefined) return rows.map(itemOf)
  const items: Item[] = []
  let bytes = 0
  for (const row of rows) {
    const item = itemOf(row)
    bytes += Buffer.byteLength(JSON.stringify(item))
    if (items.length > 0 && bytes > maxBytes) break
    items.push(item)
  }
  return items
}
