import { plainText } from '@sandbox-jobs/contract/plain-text.ts'

/*
 * A value of JSON as the rows of a tree in which parts are open or folded. The value is hostile: work and rows are bounded.
 */

export interface JsonRow {
  /** The keys from the root, as a list that shares its start with its parents. */
  path: JsonPath
  depth: number
  /** Name of a field or position in a list; undefined for the root. */
  label: string | undefined
  value: unknown
  /** How many values it has; undefined if it has none by its nature. */
  size: number | undefined
  isOpen: boolean
  /** Values of the parent that are not shown, after its last one. */
  more?: number
}

/** A key and the path before it; undefined is the root. */
export type JsonPath = { parent: JsonPath; key: string | number } | undefined

const childrenMax = 10_000
const rowsMax = 200_000

export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The text by which an open part is known. */
export function keyOf(path: JsonPath): string {
  const keys: (string | number)[] = []
  for (let at = path; at; at = at.parent) keys.push(at.key)
  return JSON.stringify(keys.reverse())
}

/** The path as a program writes it, such as `$.rows[2]["a b"]`. */
export function pathText(path: JsonPath): string {
  if (path === undefined) return '$'
  const { parent, key } = path
  if (typeof key === 'number') return `${pathText(parent)}[${key}]`
  return /^[A-Za-z_]\w*$/.test(key)
    ? `${pathText(parent)}.${key}`
    : `${pathText(parent)}[${JSON.stringify(key)}]`
}

/** The rows in view of a tree whose parts `isOpen` names. */
export function rowsOfJson(value: unknown, open: ReadonlySet<string>): JsonRow[] {
  const rows: JsonRow[] = []
  addRow(rows, { path: undefined, depth: 0, label: undefined, value }, open)
  return rows
}

function addRow(
  rows: JsonRow[],
  node: Pick<JsonRow, 'path' | 'depth' | 'label' | 'value'>,
  open: ReadonlySet<string>,
): void {
  if (rows.length >= rowsMax) return
  const { value, path, depth } = node
  const children = isContainer(value) ? sizeOf(value) : undefined
  const isOpen = children !== undefined && children > 0 && open.has(keyOf(path))
  rows.push({ ...node, size: children, isOpen })
  if (!isOpen || !isContainer(value)) return
  for (const [key, child] of childrenOf(value)) {
    addRow(
      rows,
      { path: { parent: path, key }, depth: depth + 1, label: plainText(String(key)), value: child },
      open,
    )
  }
  if (children > childrenMax) {
    const more = children - childrenMax
    rows.push({
      path,
      depth: depth + 1,
      label: undefined,
      value: undefined,
      size: undefined,
      isOpen: false,
      more,
    })
  }
}

const sizeOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length)

const childrenOf = (value: object): [string | number, unknown][] =>
  Array.isArray(value)
    ? value.slice(0, childrenMax).map((child, at): [number, unknown] => [at, child])
    : Object.entries(value).slice(0, childrenMax)

const openedAtStart = 200

/** The parts that are open at first: from the root on, as long as all of it is a page or two. */
export function openAtStart(value: unknown): Set<string> {
  const open = new Set<string>()
  let rows = 1
  let level: { path: JsonPath; value: unknown }[] = [{ path: undefined, value }]
  while (level.length > 0) {
    const next: typeof level = []
    for (const { path, value: part } of level) {
      if (!isContainer(part)) continue
      rows += Math.min(sizeOf(part), childrenMax)
      if (rows > openedAtStart && path !== undefined) return open
      open.add(keyOf(path))
      if (rows > openedAtStart) return open
      for (const [key, child] of childrenOf(part)) next.push({ path: { parent: path, key }, value: child })
    }
    level = next
  }
  return open
}

const foundMax = 1000
const searchedMax = 2_000_000
/** Deeper values exist, and would exhaust the stack. */
const searchedDepth = 500

/** The paths at which a name or a plain value has the text, in the order of the tree. */
export function findInJson(value: unknown, text: string): JsonPath[] {
  const wanted = text.toLowerCase()
  const found: JsonPath[] = []
  let left = searchedMax
  const isHit = (shown: unknown) => String(shown).toLowerCase().includes(wanted)
  const visit = (path: JsonPath, part: unknown, depth: number): void => {
    left -= 1
    if (left < 0 || depth > searchedDepth || found.length >= foundMax) return
    const isNamed = typeof path?.key === 'string' && isHit(path.key)
    if (isNamed || (!isContainer(part) && isHit(part))) found.push(path)
    if (isContainer(part))
      for (const [key, child] of childrenOf(part)) visit({ parent: path, key }, child, depth + 1)
  }
  if (wanted !== '') visit(undefined, value, 0)
  return found
}

/** The open parts with those around the path. */
export function openTo(path: JsonPath, open: ReadonlySet<string>): Set<string> {
  const opened = new Set(open)
  for (let at = path?.parent; ; at = at.parent) {
    opened.add(keyOf(at))
    if (at === undefined) return opened
  }
}
