import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RowScroller } from './row-scroller.ts'

/** An element as far as a scroller uses it. It rounds offsets, as browsers do. */
class Scrolled extends EventTarget {
  clientHeight = 400
  #top = 0

  get scrollTop(): number {
    return this.#top
  }

  set scrollTop(top: number) {
    this.#top = Math.round(top)
  }

  /** The browser reports each move, whoever has made it. */
  tell(): void {
    this.dispatchEvent(new Event('scroll'))
  }

  drag(top: number): void {
    this.scrollTop = top
    this.tell()
  }
}

beforeEach(() =>
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  ),
)
beforeEach(() => vi.stubGlobal('WheelEvent', { DOM_DELTA_LINE: 1, DOM_DELTA_PAGE: 2 }))
afterEach(() => vi.unstubAllGlobals())

function scrollerOf(count: number) {
  const element = new Scrolled()
  const scroller = new RowScroller()
  const moves: boolean[] = []
  scroller.onMoved((isAtEnd) => moves.push(isAtEnd))
  scroller.attach(element as unknown as HTMLElement)
  scroller.setList({ count, rowHeight: 20, headHeight: 0 })
  const fire = (type: string, fields: object) => element.dispatchEvent(Object.assign(new Event(type), fields))
  return { element, scroller, moves, fire, position: () => scroller.shown.get().position }
}

test('the scroll bar of a million rows reaches the last, and only the person moves', () => {
  const { element, scroller, moves, position } = scrollerOf(1_000_000)
  scroller.toEnd()
  element.tell()
  expect(position()).toBe(19_999_600)
  expect(moves).toEqual([])
  element.drag(7_500_000)
  expect(position()).toBeCloseTo(10_000_066.67, 2)
  expect(moves).toEqual([false])
  element.drag(15_000_000 - 400)
  expect(moves).toEqual([false, true])
})

test('the wheel moves a million rows by px and a short list not at all', () => {
  const million = scrollerOf(1_000_000)
  million.fire('wheel', { deltaY: 120, deltaMode: 0 })
  million.fire('wheel', { deltaY: 3, deltaMode: 1 })
  expect(million.position()).toBe(180)
  const short = scrollerOf(100)
  short.fire('wheel', { deltaY: 120, deltaMode: 0 })
  expect(short.position()).toBe(0)
})

test('a finger moves a million rows by px', () => {
  const { element, fire, position } = scrollerOf(1_000_000)
  fire('pointerdown', { pointerType: 'touch' })
  element.drag(300)
  expect(position()).toBe(300)
  fire('scrollend', {})
  expect(position()).toBe(300)
  expect(element.scrollTop).toBe(225)
})

test('a list that grows keeps its position, and one that shrinks shows its last rows', () => {
  const { element, scroller, position } = scrollerOf(1000)
  element.drag(5000)
  scroller.setList({ count: 2_000_000, rowHeight: 20, headHeight: 0 })
  expect(position()).toBe(5000)
  scroller.setList({ count: 30, rowHeight: 20, headHeight: 0 })
  expect(position()).toBe(200)
})
