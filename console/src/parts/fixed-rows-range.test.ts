import { describe, expect, test } from 'vitest'
import {
  boundedPosition,
  type Extent,
  isAtEnd,
  isScaled,
  maxPosition,
  positionOf,
  revealed,
  rowsMovedBy,
  scrollHeight,
  scrollHeightMax,
  scrollTopOf,
  windowAt,
} from './fixed-rows-range.ts'

const short: Extent = { count: 100, rowHeight: 20, viewHeight: 400 }
const million: Extent = { count: 1_000_000, rowHeight: 20, viewHeight: 405 }

describe('a list that fits into an element', () => {
  test('has its own height and is not scaled', () => {
    expect(scrollHeight(short)).toBe(2000)
    expect(isScaled(short)).toBe(false)
    expect(positionOf(777, short)).toBe(777)
  })

  test('draws the rows in view and some beyond each edge', () => {
    expect(windowAt(1000, short, 4)).toEqual({ first: 46, end: 74, offset: 920 })
    expect(windowAt(0, short, 4)).toEqual({ first: 0, end: 24, offset: 0 })
    expect(windowAt(1600, short, 4)).toEqual({ first: 76, end: 100, offset: 1520 })
  })
})

describe('a list that is higher than an element may be', () => {
  test('has the highest scroll bar that every browser draws', () => {
    expect(isScaled(million)).toBe(true)
    expect(scrollHeight(million)).toBe(scrollHeightMax)
  })

  test('reaches its last row at the end of the scroll bar', () => {
    const end = scrollHeightMax - million.viewHeight
    expect(positionOf(end, million)).toBeCloseTo(maxPosition(million), 3)
    expect(windowAt(maxPosition(million), million, 4).end).toBe(1_000_000)
    expect(scrollTopOf(maxPosition(million), million)).toBeCloseTo(end, 3)
  })

  test.each([0, 1, 12_345.5, 10_000_000, 19_999_595])(
    'keeps the position %d through the scroll bar',
    (position) => {
      expect(positionOf(scrollTopOf(position, million), million)).toBeCloseTo(position, 3)
    },
  )

  test('draws its window where the view is', () => {
    const position = 13_333_333
    const { first, offset } = windowAt(position, million, 0)
    expect(offset - scrollTopOf(position, million)).toBeCloseTo(first * 20 - position, 3)
  })
})

test('a list that is empty or shorter than the view has one position', () => {
  const empty = { ...short, count: 0 }
  expect(windowAt(0, empty, 4)).toEqual({ first: 0, end: 0, offset: 0 })
  expect(boundedPosition(50, { ...short, count: 3 })).toBe(0)
  expect(isAtEnd(0, empty)).toBe(true)
})

test('a list that has become shorter than the position has no rows before its first', () => {
  expect(windowAt(5000, { ...short, count: 10 }, 0)).toMatchObject({ first: 250, end: 250 })
})

describe('a row is revealed', () => {
  const reveal = (row: number, position: number, align: 'start' | 'center' | 'nearest') =>
    revealed(row, position, { extent: short, align })

  test('at the nearest edge, or where it is', () => {
    expect(reveal(2, 1000, 'nearest')).toBe(40)
    expect(reveal(80, 1000, 'nearest')).toBe(1220)
    expect(reveal(55, 1000, 'nearest')).toBe(1000)
  })

  test('in the middle or at the start, as far as the list goes', () => {
    expect(reveal(50, 0, 'center')).toBe(810)
    expect(reveal(50, 0, 'start')).toBe(1000)
    expect(reveal(99, 0, 'start')).toBe(1600)
    expect(reveal(0, 500, 'center')).toBe(0)
  })
})

test('keys move by a row, a page or to an end, and no name that objects inherit is a key', () => {
  expect(['ArrowUp', 'PageDown', 'End', 'a', 'constructor'].map((key) => rowsMovedBy(key, short))).toEqual([
    -1,
    19,
    Infinity,
    undefined,
    undefined,
  ])
})
