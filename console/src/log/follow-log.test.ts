import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LogFollower } from './follow-log.ts'
import type { LogSink } from './log-source.ts'

/** A connection whose events the test sends. */
class FakeEvents extends EventTarget {
  static all: FakeEvents[] = []
  isClosed = false
  readonly address: string

  constructor(address: string) {
    super()
    this.address = address
    FakeEvents.all.push(this)
  }

  send(kind: string, position: number, data: object): void {
    const event = new MessageEvent(kind, { data: JSON.stringify(data), lastEventId: String(position) })
    if (!this.isClosed) this.dispatchEvent(event)
  }

  close(): void {
    this.isClosed = true
  }
}

class FakeDocument extends EventTarget {
  hidden = false

  show(isShown: boolean): void {
    this.hidden = !isShown
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

let page = new FakeDocument()

beforeEach(() => {
  vi.useFakeTimers()
  FakeEvents.all = []
  page = new FakeDocument()
  vi.stubGlobal('EventSource', FakeEvents)
  vi.stubGlobal('document', page)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function follow() {
  const left = new AbortController()
  const taken: string[] = []
  const interruptions: boolean[] = []
  const sink: LogSink = {
    add: (chunk) => taken.push(new TextDecoder().decode(chunk)),
    addTail: () => {},
    expect: () => {},
    interrupt: (isInterrupted) => interruptions.push(isInterrupted),
    end: () => taken.push('END'),
  }
  new LogFollower('/log', { sink, gapText: (bytes) => `[${bytes}]` }).follow(left.signal)
  const last = () => FakeEvents.all.at(-1) ?? new FakeEvents('none')
  return { taken, interruptions, left, last, addresses: () => FakeEvents.all.map(({ address }) => address) }
}

test('text, gaps and the end come in their order, and nothing after the end', () => {
  const { taken, last } = follow()
  last().send('log', 4, { text: 'one\n' })
  last().send('gap', 104, { start: 4, end: 104 })
  last().send('end', 104, {})
  expect(taken).toEqual(['one\n', '\n[100]\n', 'END'])
  expect(last().isClosed).toBe(true)
  page.show(false)
  page.show(true)
  vi.advanceTimersByTime(60_000)
  expect(FakeEvents.all).toHaveLength(1)
})

test('a connection that breaks goes on from the byte that was reached, later each time', () => {
  const { last, addresses } = follow()
  last().send('log', 40, { text: 'x' })
  last().dispatchEvent(new Event('error'))
  vi.advanceTimersByTime(1000)
  expect(addresses()).toEqual(['/log?start=0', '/log?start=40'])
  last().dispatchEvent(new Event('error'))
  vi.advanceTimersByTime(1999)
  expect(addresses()).toHaveLength(2)
  vi.advanceTimersByTime(1)
  expect(addresses()).toHaveLength(3)
  last().send('log', 41, { text: 'y' })
  last().dispatchEvent(new Event('error'))
  vi.advanceTimersByTime(1000)
  expect(addresses().at(-1)).toBe('/log?start=41')
})

test('a log that cannot be followed says so from the second failure on, until it can', () => {
  const { interruptions, last } = follow()
  last().dispatchEvent(new Event('error'))
  expect(interruptions).toEqual([])
  vi.advanceTimersByTime(1000)
  last().dispatchEvent(new Event('error'))
  expect(interruptions).toEqual([true])
  vi.advanceTimersByTime(2000)
  last().send('log', 1, { text: 'x' })
  expect(interruptions).toEqual([true, false])
})

test('a page that is not seen has no connection after 30 seconds, and one again when it is', () => {
  const { last, addresses } = follow()
  last().send('log', 7, { text: 'x' })
  page.show(false)
  vi.advanceTimersByTime(29_999)
  expect(last().isClosed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(last().isClosed).toBe(true)
  page.show(true)
  expect(addresses()).toEqual(['/log?start=0', '/log?start=7'])
})

test('a log that is left is not followed any more', () => {
  const { taken, left, last } = follow()
  left.abort()
  expect(last().isClosed).toBe(true)
  last().send('log', 4, { text: 'late' })
  page.show(true)
  vi.advanceTimersByTime(60_000)
  expect(taken).toEqual([])
  expect(FakeEvents.all).toHaveLength(1)
})
