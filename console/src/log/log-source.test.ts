import { describe, expect, test } from 'vitest'
import { type LogSink, type LogSource, readLog } from './log-source.ts'

/** Keeps the calls of a log that is filled, in their order. */
function recorder() {
  const taken: string[] = []
  const text = (chunk: Uint8Array) => new TextDecoder().decode(chunk)
  const sink: LogSink = {
    add: (chunk) => taken.push(`add ${text(chunk)}`),
    addTail: (chunk) => taken.push(`tail ${text(chunk)}`),
    interrupt: () => taken.push('interrupt'),
    expect: (bytes) => taken.push(`expect ${bytes}`),
    end: () => taken.push('end'),
  }
  return { sink, taken }
}

const signal = new AbortController().signal
const source = (read: (tail: number | undefined) => Response): Extract<LogSource, { kind: 'stored' }> => ({
  kind: 'stored',
  read: async ({ tail }) => read(tail),
})

describe('a log that has ended', () => {
  test('is read as a whole, in a buffer of its size', async () => {
    const { sink, taken } = recorder()
    const response = new Response('all of it', { headers: { 'content-length': '9' } })
    await readLog(
      source(() => response),
      sink,
      { fromEnd: false, signal },
    )
    expect(taken).toEqual(['expect 9', 'add all of it', 'end'])
  })

  test('is read from its end first where that is asked for', async () => {
    const { sink, taken } = recorder()
    await readLog(
      source((tail) => new Response(tail === 262_144 ? 'the end' : 'start and the end')),
      sink,
      { fromEnd: true, signal },
    )
    expect(taken).toEqual(['tail the end', 'add start and the end', 'end'])
  })

  test('that the service refuses is a failure, and never an empty log', async () => {
    const { sink, taken } = recorder()
    const refused = source(() => new Response('', { status: 503 }))
    await expect(readLog(refused, sink, { fromEnd: false, signal })).rejects.toThrow('503')
    expect(taken).toEqual([])
  })
})
