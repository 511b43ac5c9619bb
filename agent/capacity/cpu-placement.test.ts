import { expect, test } from 'vitest'
import { evenOut, leastLoaded } from './cpu-placement.ts'

const on = (id: string, cpus: number[], load: number) => ({ id, cpus, load })

test('a sandbox is placed by load, not by the number of sandboxes', () => {
  const placed = [on('idle', [0], 0), on('waiting', [0], 0.1), on('busy', [1], 1)]
  expect(leastLoaded(placed, 2, 1)).toEqual([0])
  expect(leastLoaded([on('busy', [0], 1), on('wide', [1, 2], 1)], 4, 2)).toEqual([1, 3])
})

test('two busy sandboxes on one processor are separated if another processor is idle', () => {
  const placed = [on('a', [0], 0.5), on('b', [0], 0.5), on('idle', [1], 0)]
  expect(evenOut(placed, 2)).toEqual(on('a', [1], 0.5))
})

test('a wide sandbox gives up the processor that is crowded and keeps the others', () => {
  expect(evenOut([on('wide', [0, 1], 1), on('narrow', [0], 0.5)], 3)).toEqual(on('wide', [1, 2], 1))
})

test('no sandbox is moved without a gain', () => {
  expect(evenOut([], 2)).toBeUndefined()
  expect(evenOut([on('only', [0], 1)], 2)).toBeUndefined()
  expect(evenOut([on('a', [0], 1), on('b', [1], 1)], 2)).toBeUndefined()
  expect(evenOut([on('a', [0], 0.2), on('b', [0], 0.2)], 2)).toBeUndefined()
})

test('for any loads, balancing terminates', () => {
  for (let seed = 1; seed < 200; seed += 1) {
    let placed = Array.from({ length: 9 }, (_, at) =>
      on(`s${at}`, [(seed * at) % 4], ((seed * 7919 * (at + 1)) % 100) / 100),
    )
    let moves = 0
    for (let move = evenOut(placed, 4); move; move = evenOut(placed, 4)) {
      const { id } = move
      placed = [...placed.filter((other) => other.id !== id), move]
      moves += 1
      expect(moves).toBeLessThan(50)
    }
  }
})
