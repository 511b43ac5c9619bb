import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createLog } from '../base/logging.ts'
import { WorkerStopping } from './retry.ts'
import { type Claimed, Worker, type WorkerOptions, type WorkSignals } from './worker.ts'

interface Item {
  id: string
}

const log = createLog('test', 'silent')
const never = 3_600_000
const workers: Worker<Item>[] = []
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))

/** A queue in memory, and work that goes on until a test ends it, or its worker stops. */
class Queue {
  readonly waiting: string[] = []
  readonly started: string[] = []
  readonly signals = new Map<string, WorkSignals>()
  claims = 0
  /** Items that a claim took whose answer was lost. */
  unheld: Item[] = []
  readonly #ends = new Map<string, () => void>()

  end(id: string): void {
    this.#ends.get(id)?.()
  }

  async next(): Promise<Claimed<Item> | undefined> {
    this.claims += 1
    const id = this.waiting.shift()
    return id === undefined ? undefined : { works: [{ id }], isLast: this.waiting.length === 0 }
  }

  async start(options: Partial<WorkerOptions<Item>> = {}): Promise<Worker<Item>> {
    const worker = new Worker<Item>({
      name: 'test',
      slots: 2,
      claims: {
        next: () => this.next(),
        takeBack: async (active) => this.unheld.splice(0).filter(({ id }) => !active.includes(id)),
      },
      perform: ({ id }, signals) => this.#perform(id, signals),
      pollIntervalMs: never,
      recoverIntervalMs: never,
      log,
      ...options,
    })
    workers.push(worker)
    await worker.start()
    return worker
  }

  async #perform(id: string, signals: WorkSignals): Promise<void> {
    this.started.push(id)
    this.signals.set(id, signals)
    await new Promise<void>((resolve) => {
      this.#ends.set(id, resolve)
      if (signals.stopping.aborted) resolve()
      signals.stopping.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

const untilStarted = ({ started }: Queue, ...ids: string[]) => eventually(() => expect(started).toEqual(ids))

test('it claims while it has slots, and again when one gets free', async () => {
  const queue = new Queue()
  queue.waiting.push('a', 'b', 'c')
  const worker = await queue.start()
  await untilStarted(queue, 'a', 'b')
  queue.end('a')
  await untilStarted(queue, 'a', 'b', 'c')
  expect(worker.active).toEqual(['b', 'c'])
})

test('it takes up all that a claim returns, and asks for no more than it has slots for', async () => {
  const queue = new Queue()
  queue.waiting.push('a', 'b', 'c', 'd')
  const asked: number[] = []
  const next = async (free: number) => {
    asked.push(free)
    const works = queue.waiting.splice(0, free).map((id) => ({ id }))
    return works.length > 0 ? { works, isLast: queue.waiting.length === 0 } : undefined
  }
  const worker = await queue.start({ slots: 3, claims: { next, takeBack: async () => [] } })
  await untilStarted(queue, 'a', 'b', 'c')
  queue.end('a')
  await untilStarted(queue, 'a', 'b', 'c', 'd')
  expect(asked).toEqual([3, 1])
  expect(worker.active).toEqual(['b', 'c', 'd'])
})

test('a notification wakes it, without a timer', async () => {
  const queue = new Queue()
  const worker = await queue.start()
  await eventually(() => expect(queue.claims).toBeGreaterThan(0))
  queue.waiting.push('a')
  worker.notify()
  await untilStarted(queue, 'a')
})

test('it finds what it was not notified of', async () => {
  const queue = new Queue()
  await queue.start({ pollIntervalMs: 1 })
  await eventually(() => expect(queue.claims).toBeGreaterThan(1))
  queue.waiting.push('a')
  await untilStarted(queue, 'a')
})

test('a slot that gets free asks for nobody where nothing else waited', async () => {
  const queue = new Queue()
  const worker = await queue.start()
  await eventually(() => expect(queue.claims).toBeGreaterThan(1))
  queue.waiting.push('a')
  worker.notify()
  await untilStarted(queue, 'a')
  const { claims } = queue
  queue.end('a')
  await eventually(() => expect(worker.active).toEqual([]))
  expect(queue.claims).toBe(claims)
})

test('what was notified during a claim is not missed, whatever the claim answers', async () => {
  const queue = new Queue()
  const worker = await queue.start({ slots: 1 })
  await eventually(() => expect(queue.claims).toBeGreaterThan(1))
  const next = queue.next.bind(queue)
  queue.next = async () => {
    const claimed = await next()
    if (claimed?.works[0]?.id !== 'a') return claimed
    queue.waiting.push('b')
    worker.notify()
    return { ...claimed, isLast: true }
  }
  queue.waiting.push('a')
  worker.notify()
  await untilStarted(queue, 'a')
  queue.end('a')
  await untilStarted(queue, 'a', 'b')
})

test('it starts with what it held before, and listens for a cancel of it', async () => {
  const queue = new Queue()
  queue.unheld = [{ id: 'a' }]
  const worker = await queue.start()
  expect(queue.started).toEqual(['a'])
  worker.cancel('a')
  expect(queue.signals.get('a')?.cancel.aborted).toBe(true)
})

test('it takes back what it claimed without an answer', async () => {
  const queue = new Queue()
  const worker = await queue.start()
  await eventually(() => expect(queue.claims).toBeGreaterThan(1))
  queue.next = async () => {
    queue.next = async () => undefined
    queue.unheld = [{ id: 'a' }]
    throw new Error('Connection terminated unexpectedly')
  }
  worker.notify()
  await eventually(() => expect(queue.unheld).toHaveLength(1))
  worker.notify()
  await untilStarted(queue, 'a')
})

test('it takes over what others let expire, again and again', async () => {
  const queue = new Queue()
  const expired: Item[] = []
  const claims = {
    next: () => queue.next(),
    takeBack: async () => [],
    takeExpired: async () => expired.splice(0),
  }
  await queue.start({ claims, recoverIntervalMs: 1 })
  expired.push({ id: 'a' })
  await untilStarted(queue, 'a')
})

test('it looks up cancels that it was not notified of', async () => {
  const queue = new Queue()
  queue.waiting.push('a')
  const claims = {
    next: () => queue.next(),
    takeBack: async () => [],
    cancelRequested: async (active: readonly string[]) => [...active],
  }
  await queue.start({ claims, pollIntervalMs: 1 })
  await eventually(() => expect(queue.signals.get('a')?.cancel.aborted).toBe(true))
})

test('stopping takes back nothing of what it lets go of', async () => {
  const queue = new Queue()
  queue.waiting.push('a')
  const searching = Promise.withResolvers<void>()
  const searched = Promise.withResolvers<Item[]>()
  const claims = {
    next: () => queue.next(),
    // Items in its name.
    takeBack: async (active: readonly string[]) =>
      queue.started.filter((id) => !active.includes(id)).map((id) => ({ id })),
    takeExpired: async () => {
      if (queue.started.length === 0) return []
      searching.resolve()
      return searched.promise
    },
  }
  const worker = await queue.start({ claims, recoverIntervalMs: 1 })
  await untilStarted(queue, 'a')
  await searching.promise
  const stopped = worker.stop()
  await eventually(() => expect(worker.active).toEqual([]))
  searched.resolve([])
  await stopped
  expect(queue.started).toEqual(['a'])
})

test('stopping claims nothing more, and waits until the work was let go of', async () => {
  const queue = new Queue()
  queue.waiting.push('a')
  const worker = await queue.start()
  await untilStarted(queue, 'a')
  const stopped = worker.stop()
  queue.waiting.push('b')
  worker.notify()
  await stopped
  expect(queue.signals.get('a')?.stopping.reason).toBeInstanceOf(WorkerStopping)
  expect([queue.started, worker.active]).toEqual([['a'], []])
})
