import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { LoopSlices, type Slice } from './loop-slices.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Work that takes so many slices, and notes each. */
async function work(slice: Slice, slices: number, note: () => void): Promise<void> {
  for (let at = 0; at < slices; at += 1) {
    await slice.next()
    note()
  }
}

it('grants one slice in a round of the event loop, to the owners in turn, and ends the started work of an owner first', async () => {
  const loop = new LoopSlices()
  const granted: string[] = []
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) =>
    work(loop.of(name.slice(0, 1)), 2, () => granted.push(name)),
  )
  for (let round = 1; round <= 8; round += 1) {
    await nextRound()
    expect(granted).toHaveLength(round)
  }
  await Promise.all(all)
  expect(granted).toEqual(['a1', 'b1', 'a1', 'b1', 'a2', 'a2', 'a3', 'a3'])
})

it('reports the time of each slice and its owner', async () => {
  const loop = new LoopSlices()
  const used: [string, number][] = []
  loop.onUsed = (owner, ms) => used.push([owner, ms])
  const slice = loop.of('a')
  await slice.next()
  keepBusy(slice)
  await loop.of('b').next()
  await nextRound()
  expect(used.map(([owner]) => owner)).toEqual(['a', 'b'])
  expect(used[0]?.[1]).toBeGreaterThanOrEqual(10)
})

/** Keeps the event loop for a whole slice. */
function keepBusy(slice: Slice): void {
  while (!slice.isOver);
}

it('lets connections that wait be accepted between slices of long work', async () => {
  const server = createServer((socket) => socket.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').resume())
  let open = sockets.length
  for (const socket of sockets) socket.once('close', () => (open -= 1))
  const slice = new LoopSlices().of('a')
  let slices = 0
  for (; open > 0; slices += 1) {
    await slice.next()
    keepBusy(slice)
  }
  // One for each round would be thirty and more.
  expect(slices).toBeLessThan(15)
  server.close()
})

it('lasts for ten milliseconds', async () => {
  let nowMs = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const slice = new LoopSlices().of('a')
  expect(slice.isOver).toBe(true)
  await slice.next()
  expect(slice.isOver).toBe(false)
  nowMs += 9
  expect(slice.isOver).toBe(false)
  nowMs += 1
  expect(slice.isOver).toBe(true)
})

it('starts again after it had nothing to grant', async () => {
  const slice = new LoopSlices().of('a')
  await slice.next()
  await nextRound()
  await slice.next()
})
