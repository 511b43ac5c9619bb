import { Store } from '../data/store.ts'
import {
  type Alignment,
  boundedPosition,
  type Extent,
  isAtEnd,
  isScaled,
  maxPosition,
  positionOf,
  revealed,
  scrollTopOf,
} from './fixed-rows-range.ts'

export interface ScrollSnapshot {
  position: number
  viewHeight: number
}

/**
 * The position of a scrolling element in the scale of its rows. The scroll bar moves by the scale of its range; the wheel, keys
 * and fingers move by px, however many rows there are.
 */
export class RowScroller {
  #element: HTMLElement | undefined
  #list = { count: 0, rowHeight: 1, headHeight: 0 }
  readonly shown = new Store<ScrollSnapshot>({ position: 0, viewHeight: 0 })
  /** The offset that this code has set. The browser reports it as a move too. */
  #written = 0
  #isTouch = false
  readonly #movers = new Set<(isAtEnd: boolean) => void>()

  /** Calls when the person has moved, and not when code has. */
  onMoved(mover: (isAtEnd: boolean) => void): () => void {
    this.#movers.add(mover)
    return () => this.#movers.delete(mover)
  }

  get extent(): Extent {
    const { count, rowHeight } = this.#list
    return { count, rowHeight, viewHeight: this.shown.get().viewHeight }
  }

  /** A reference for React: the element that scrolls, until it is removed. */
  readonly attach = (element: HTMLElement): (() => void) => {
    this.#element = element
    const sizes = new ResizeObserver(() => this.#measure())
    sizes.observe(element)
    this.#measure()
    const removed = new AbortController()
    const passive = { signal: removed.signal, passive: true }
    element.addEventListener('pointerdown', (event) => this.#useTouch(event), passive)
    element.addEventListener('scroll', () => this.#scrolled(element.scrollTop), passive)
    element.addEventListener('scrollend', () => isScaled(this.extent) && this.#write(), passive)
    element.addEventListener('wheel', (event) => this.#wheel(event), { ...passive, passive: false })
    return () => {
      removed.abort()
      sizes.disconnect()
      this.#element = undefined
    }
  }

  setList(list: { count: number; rowHeight: number; headHeight: number }): void {
    this.#list = list
    this.#measure()
  }

  reveal(row: number, align: Alignment): void {
    this.#moveTo(revealed(row, this.shown.get().position, { extent: this.extent, align }))
  }

  toEnd(): void {
    this.#moveTo(maxPosition(this.extent))
  }

  focus(): void {
    this.#element?.focus({ preventScroll: true })
  }

  /** Moves as the person asks, by px. */
  moveBy(distance: number): void {
    this.#moveTo(this.shown.get().position + distance)
    this.#tellMoved()
  }

  #measure(): void {
    const viewHeight = Math.max(0, (this.#element?.clientHeight ?? 0) - this.#list.headHeight)
    if (viewHeight !== this.shown.get().viewHeight) this.shown.set({ ...this.shown.get(), viewHeight })
    this.#moveTo(this.shown.get().position)
  }

  #moveTo(position: number): void {
    this.#setPosition(position)
    this.#write()
  }

  #setPosition(position: number): void {
    const bounded = boundedPosition(position, this.extent)
    if (bounded !== this.shown.get().position) this.shown.set({ ...this.shown.get(), position: bounded })
  }

  #write(): void {
    if (this.#element === undefined) return
    const scrollTop = scrollTopOf(this.shown.get().position, this.extent)
    // Without a move a smooth scroll of the browser goes on.
    if (Math.abs(this.#element.scrollTop - scrollTop) >= 1) this.#element.scrollTop = scrollTop
    // The browser rounds it.
    this.#written = this.#element.scrollTop
  }

  #useTouch({ pointerType }: PointerEvent): void {
    this.#isTouch = pointerType === 'touch'
  }

  #scrolled(scrollTop: number): void {
    if (scrollTop === this.#written) return
    const moved = scrollTop - this.#written
    this.#written = scrollTop
    const isByPx = this.#isTouch && isScaled(this.extent)
    this.#setPosition(isByPx ? this.shown.get().position + moved : positionOf(scrollTop, this.extent))
    this.#tellMoved()
  }

  /** The browser's own scrolling would move by the scale of the scroll bar. */
  #wheel(event: WheelEvent): void {
    if (!isScaled(this.extent) || event.deltaY === 0 || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    this.#isTouch = false
    this.moveBy(event.deltaY * pxOf(event, this.extent))
  }

  #tellMoved(): void {
    for (const mover of this.#movers) mover(isAtEnd(this.shown.get().position, this.extent))
  }
}

/** A step of the wheel is in px, rows or pages. */
function pxOf({ deltaMode }: WheelEvent, { rowHeight, viewHeight }: Extent): number {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return rowHeight
  return deltaMode === WheelEvent.DOM_DELTA_PAGE ? viewHeight : 1
}
