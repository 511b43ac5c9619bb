import { describe, expect, test, vi } from 'vitest'
import { LogClient, type LogWorker } from './log-client.ts'
import type { LogReply, LogRequest } from './log-messages.ts'
import { LogStore } from './log-store.ts'

/** The store without a thread: requests wait until they are delivered. */
class DirectWorker implements LogWorker {
  onmessage: LogWorker['onmessage'] = null
  readonly sent: LogRequest[] = []
  readonly #store = new LogStore()
  #delivered = 0

  postMessage(request: LogRequest): void {
    this.sent.push(request)
  }

  isEnded = false

  terminate(): void {
    this.isEnded = true
  }

  deliver(): void {
    for (; this.#delivered < this.sent.length; this.#delivered += 1) {
      const request = this.sent[this.#delivered]
      if (request) this.#reply(this.#store.take(request))
    }
    while (this.#store.work());
    this.#reply(this.#store.report())
  }

  #reply(replies: LogReply[]): void {
    for (const data of replies) this.onmessage?.({ data } as MessageEvent<LogReply>)
  }
}

function clientOf(log: string) {
  const worker = new DirectWorker()
  const client = new LogClient({ makeWorker: () => worker, load: async () => {} })
  client.start()
  client.add(new TextEncoder().encode(log))
  worker.deliver()
  return { worker, client }
}

const asked = ({ sent }: DirectWorker) =>
  sent.flatMap((request) => (request.kind === 'rows' ? [request.block] : []))
const textOf = (client: LogClient, row: number) =>
  client
    .row(row)
    ?.pieces.map(({ text }) => text)
    .join('')

describe('rows', () => {
  test('are asked for once, with those near them', () => {
    const { client, worker } = clientOf('x\n'.repeat(2000))
    client.want(300, 340)
    client.want(301, 341)
    expect(asked(worker)).toEqual([0, 1])
    worker.deliver()
    client.want(302, 342)
    expect(asked(worker)).toEqual([0, 1])
    expect(textOf(client, 300)).toBe('x')
    expect(client.row(1999)).toBeUndefined()
  })

  test('that may have changed are asked for when the log has grown', () => {
    const { client, worker } = clientOf('one\ntw')
    client.want(0, 40)
    worker.deliver()
    expect(textOf(client, 1)).toBe('tw')
    client.add(new TextEncoder().encode('o'))
    worker.deliver()
    client.want(0, 40)
    worker.deliver()
    expect(textOf(client, 1)).toBe('two')
  })

  test('of an earlier arrangement are shown until others have come', () => {
    const { client, worker } = clientOf('abcdefghij\nsecond')
    client.want(0, 40)
    worker.deliver()
    client.arrange({ columns: 8, onlyMatching: false })
    worker.deliver()
    expect(textOf(client, 1)).toBe('second')
    client.want(0, 40)
    worker.deliver()
    expect(textOf(client, 1)).toBe('ij')
  })

  test('are kept for a bounded number of blocks', () => {
    const { client, worker } = clientOf('x\n'.repeat(100 * 256))
    client.want(0, 100 * 256)
    worker.deliver()
    expect(client.row(0)).toBeUndefined()
    expect(textOf(client, 99 * 256)).toBe('x')
  })
})

test('what an earlier search finds is not shown for a later one', () => {
  const { client, worker } = clientOf('one\ntwo\n')
  client.search({ text: 'one', isExpression: false })
  client.search({ text: 'two', isExpression: false })
  worker.deliver()
  expect([...(client.shown.get().found?.lines ?? [])]).toEqual([1])
  client.search(undefined)
  worker.deliver()
  expect(client.shown.get().found).toBeUndefined()
})

test('an answer reaches the one who asked', async () => {
  const { client, worker } = clientOf('fine\nfatal\n')
  const [text, line] = [
    client.ask({ about: 'text', first: 0, last: 0 }),
    client.ask({ about: 'first_failure' }),
  ]
  worker.deliver()
  expect([await text, await line]).toEqual(['fine', 1])
})

test('an expression without an answer ends with its worker, and the log is read again', () => {
  vi.useFakeTimers()
  const workers: DirectWorker[] = []
  const client = new LogClient({
    makeWorker: () => {
      const worker = new DirectWorker()
      workers.push(worker)
      return worker
    },
    load: async (sink) => sink.add(new TextEncoder().encode('aaaa\n')),
  })
  client.start()
  client.search({ text: '(a+)+b', isExpression: true })
  vi.advanceTimersByTime(5000)
  vi.useRealTimers()
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false])
  expect(client.shown.get()).toMatchObject({ isTooSlow: true, found: undefined })
  workers[1]?.deliver()
  expect(client.shown.get().state.lines).toBe(1)
})

test('a log that cannot be read says so', async () => {
  const client = new LogClient({
    makeWorker: () => new DirectWorker(),
    load: () => Promise.reject(new Error('not there')),
  })
  const failed = new Promise<void>((resolve) =>
    client.shown.subscribe(() => client.shown.get().failure && resolve()),
  )
  client.start()
  await failed
  expect(client.shown.get().failure).toEqual(new Error('not there'))
})
