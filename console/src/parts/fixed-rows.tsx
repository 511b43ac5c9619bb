import {
  type AriaAttributes,
  type AriaRole,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useState,
} from 'react'
import { useStore } from '../data/store.ts'
import styles from './fixed-rows.module.css'
import { type Alignment, rowsMovedBy, scrollHeight, windowAt } from './fixed-rows-range.ts'
import { RowScroller } from './row-scroller.ts'

/** Moves of the view that no person makes. */
export interface FixedRowsHandle {
  reveal: (row: number, align?: Alignment) => void
  toEnd: () => void
  /** Gives the list the focus, and with it its keys. */
  focus: () => void
}

interface FixedRowsProps {
  count: number
  /** Height of each row in px. */
  rowHeight: number
  /** The name of the list for screen readers. */
  label: string
  /**
   * `text`: a region that scrolls, such as a log. `grid`: a table whose cells the caller draws with `role="gridcell"`. `tree`: rows
   * with `aria-level` and `aria-expanded` in `rowAttributes`.
   */
  kind: 'text' | 'grid' | 'tree'
  row: (index: number) => ReactNode
  /** Rows are as wide as the list, and their cells shrink. Else the list scrolls sideways. */
  fits?: boolean
  rowAttributes?: (index: number) => AriaAttributes
  /** A heading of the height of a row that stays in view; with `role="columnheader"` in its cells. */
  head?: ReactNode
  /** The row that keys move; without it they scroll. */
  active?: number | undefined
  onActive?: (row: number) => void
  /** The rows that are drawn, so that they can be loaded. */
  onWindow?: (first: number, end: number) => void
  /** The person has scrolled. */
  onMoved?: (isAtEnd: boolean) => void
  ref?: Ref<FixedRowsHandle>
}

const roles: Readonly<Record<FixedRowsProps['kind'], { list: AriaRole; row: AriaRole | undefined }>> = {
  text: { list: 'region', row: undefined },
  grid: { list: 'grid', row: 'row' },
  tree: { list: 'tree', row: 'treeitem' },
}

/** Attributes of the cells of a grid. */
export const gridHead = { role: 'columnheader' } as const
export const gridCell = { role: 'gridcell' } as const

const headAttributes = { role: 'row', 'aria-rowindex': 1 }
const rowsAround = 4
const ownKeys = 'input, textarea, select, [contenteditable]'

/**
 * A list of any number of rows of one height, of which only those in view are elements. It fills its parent, which has a height.
 *
 *     <FixedRows kind="grid" label={t.runs} count={total} rowHeight={40} row={(index) => <RunRow run={runs[index]} />}
 *       active={active} onActive={setActive} onWindow={loadPages} />
 *
 * Arrows, Page Up, Page Down, Home and End move the active row, or the view if there is none. `Enter` and other keys bubble to
 * the caller's `onKeyDown` around it.
 */
export function FixedRows({ ref, onWindow, onMoved, ...props }: FixedRowsProps) {
  const { count, rowHeight, label, kind, row, rowAttributes, fits, head, active, onActive } = props
  const id = useId()
  const [scroller] = useState(() => new RowScroller())
  const attach = useCallback(
    (element: HTMLElement | null) => (element ? scroller.attach(element) : undefined),
    [scroller],
  )
  const { position, viewHeight } = useStore(scroller.shown)
  const headHeight = head === undefined ? 0 : rowHeight
  const extent = { count, rowHeight, viewHeight }
  const { first, end, offset } = windowAt(position, extent, rowsAround)

  useLayoutEffect(
    () => scroller.setList({ count, rowHeight, headHeight }),
    [scroller, count, rowHeight, headHeight],
  )
  useImperativeHandle(
    ref,
    () => ({
      reveal: (index, align = 'nearest') => scroller.reveal(index, align),
      toEnd: () => scroller.toEnd(),
      focus: () => scroller.focus(),
    }),
    [scroller],
  )
  const tellMoved = useEffectEvent((isAtEnd: boolean) => onMoved?.(isAtEnd))
  useEffect(() => scroller.onMoved((isAtEnd) => tellMoved(isAtEnd)), [scroller])
  const tellWindow = useEffectEvent((from: number, to: number) => onWindow?.(from, to))
  useEffect(() => tellWindow(first, end), [first, end])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const isElsewhere = event.target instanceof Element && event.target.matches(ownKeys)
    const moved = rowsMovedBy(event.key, extent)
    if (moved === undefined || isElsewhere || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    if (active === undefined || onActive === undefined) {
      scroller.moveBy(moved * rowHeight)
      return
    }
    const next = Math.min(Math.max(0, active + moved), count - 1)
    scroller.reveal(next, 'nearest')
    onActive(next)
  }

  const isDrawn = active !== undefined && active >= first && active < end
  const listAttributes: HTMLAttributes<HTMLDivElement> = {
    role: roles[kind].list,
    'aria-label': label,
    tabIndex: 0,
    onKeyDown,
    ...(kind === 'grid' && { 'aria-rowcount': count + (head === undefined ? 0 : 1) }),
    ...(isDrawn && { 'aria-activedescendant': `${id}${active}` }),
  }
  const attributesOf = (index: number): HTMLAttributes<HTMLDivElement> & { 'data-active'?: true } => ({
    id: `${id}${index}`,
    role: roles[kind].row,
    ...(kind === 'grid' && { 'aria-rowindex': index + (head === undefined ? 1 : 2) }),
    ...(kind !== 'text' && active !== undefined && { 'aria-selected': index === active }),
    ...(index === active && { 'data-active': true }),
    ...rowAttributes?.(index),
  })
  return (
    <div ref={attach} className={`${styles.scroller} ${fits ? styles.fits : ''}`} {...listAttributes}>
      {head !== undefined && (
        <div className={styles.head} style={{ blockSize: headHeight }} {...headAttributes}>
          {head}
        </div>
      )}
      <div className={styles.range} role="presentation" style={{ blockSize: scrollHeight(extent) }}>
        <div
          ref={keepWidth}
          className={styles.window}
          role="presentation"
          style={{ transform: `translateY(${offset}px)` }}
        >
          {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
            <div key={index} className={styles.row} style={{ blockSize: rowHeight }} {...attributesOf(index)}>
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** Keeps the list as wide as its widest row so far, so that it does not move sideways while it scrolls. */
function keepWidth(drawn: HTMLElement | null): (() => void) | undefined {
  if (drawn === null) return undefined
  let widest = 0
  const sizes = new ResizeObserver(() => {
    const range = drawn.parentElement
    if (range === null || drawn.offsetWidth <= widest || range.scrollWidth <= range.clientWidth) return
    widest = drawn.offsetWidth
    range.style.minInlineSize = `${widest}px`
  })
  sizes.observe(drawn)
  return () => sizes.disconnect()
}
