/*
 * Positions of a list of rows of one height that is higher than an element of a browser may be (33,554,428 px in Chromium,
 * 17.9 million in Firefox). Above `scrollHeightMax` the scroll bar covers the list in a smaller scale. A position is the
 * distance in px from the first row to the upper edge of the view, in the scale of the rows.
 */

export const scrollHeightMax = 15_000_000

export interface Extent {
  count: number
  rowHeight: number
  /** Height of the part of the rows that is in view. */
  viewHeight: number
}

export interface RowWindow {
  first: number
  /** The row after the last. */
  end: number
  /** Where the first row is drawn, from the start of the scrolled content. */
  offset: number
}

export type Alignment = 'start' | 'center' | 'nearest'

const fullHeight = ({ count, rowHeight }: Extent): number => count * rowHeight

export const scrollHeight = (extent: Extent): number => Math.min(fullHeight(extent), scrollHeightMax)

export const isScaled = (extent: Extent): boolean => fullHeight(extent) > scrollHeightMax

export const maxPosition = (extent: Extent): number => Math.max(0, fullHeight(extent) - extent.viewHeight)

export const boundedPosition = (position: number, extent: Extent): number =>
  Math.min(Math.max(0, position), maxPosition(extent))

/** Rows per px of the scroll bar, relative to rows per px of the list. */
const scale = (extent: Extent): number =>
  isScaled(extent) ? maxPosition(extent) / (scrollHeightMax - extent.viewHeight) : 1

export const scrollTopOf = (position: number, extent: Extent): number => position / scale(extent)

export const positionOf = (scrollTop: number, extent: Extent): number =>
  boundedPosition(scrollTop * scale(extent), extent)

/** The rows to draw: those in view and `around` more beyond each edge. */
export function windowAt(position: number, extent: Extent, around: number): RowWindow {
  const { count, rowHeight, viewHeight } = extent
  const first = Math.max(0, Math.floor(position / rowHeight) - around)
  const end = Math.min(count, Math.ceil((position + viewHeight) / rowHeight) + around)
  return {
    first,
    end: Math.max(first, end),
    offset: scrollTopOf(position, extent) + first * rowHeight - position,
  }
}

/** The position that shows the row; the same one if it is in view already and `nearest` is asked for. */
export function revealed(
  row: number,
  position: number,
  { extent, align }: { extent: Extent; align: Alignment },
): number {
  const { rowHeight, viewHeight } = extent
  const top = row * rowHeight
  const wanted = {
    start: top,
    center: top - (viewHeight - rowHeight) / 2,
    nearest: Math.min(top, Math.max(position, top + rowHeight - viewHeight)),
  }
  return boundedPosition(wanted[align], extent)
}

/** Whether the last row is in view, apart from a rounded px. */
export const isAtEnd = (position: number, extent: Extent): boolean => position >= maxPosition(extent) - 1

const moves: Readonly<Record<string, (extent: Extent) => number>> = {
  ArrowUp: () => -1,
  ArrowDown: () => 1,
  PageUp: (extent) => -pageOf(extent),
  PageDown: (extent) => pageOf(extent),
  Home: () => -Infinity,
  End: () => Infinity,
}

const pageOf = ({ viewHeight, rowHeight }: Extent): number =>
  Math.max(1, Math.floor(viewHeight / rowHeight) - 1)

/** By how many rows a key moves; undefined for all other keys. */
export const rowsMovedBy = (key: string, extent: Extent): number | undefined =>
  Object.hasOwn(moves, key) ? moves[key]?.(extent) : undefined
