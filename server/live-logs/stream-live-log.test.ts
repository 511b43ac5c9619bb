import { expect, test } from 'vitest'
import type { LogPart } from '../../agent/port/results.ts'
import { streamLiveLog } from './stream-live-log.ts'

const of = { subjectId: 'run_1', sandboxId: 'sandbox_1' }

/** Streams a sandbox's log, one piece per poll, until it is no longer requested after the last one. */
async function streamPieces(pieces: (Buffer | 'unavailable')[], ahead = 0) {
  const written: (LogPart | undefined)[] = []
  const pausesMs: number[] = []
  let looks = 0
  await streamLiveLog(
    {
      executor: {
        logSince: async (_id, position) => {
          const piece = pieces[looks]
          looks += 1
          if (piece === 'unavailable') throw new Error('the agent is unavailable')
          return { start: position, bytes: piece ?? Buffer.alloc(0) }
        },
      },
      write: async (_id, part) => {
        written.push(part)
        return written.length <= pieces.length
      },
      pause: async (ms) => void pausesMs.push(ms),
    },
    { ...of, ahead },
    new AbortController().signal,
  )
  return { written, pausesMs }
}

test('only new bytes are written, with the window before them', async () => {
  const { written } = await streamPieces([
    Buffer.from('one\n'),
    Buffer.alloc(0),
    'unavailable',
    Buffer.from('two\n'),
  ])
  expect(written.map((part) => part?.bytes.toString())).toEqual([
    'one\n',
    undefined,
    undefined,
    'one\ntwo\n',
    undefined,
  ])
})

test('positions continue when another sandbox continues the log', async () => {
  const { written } = await streamPieces([Buffer.from('one\n'), Buffer.from('two\n')], 100)
  expect(written.map((part) => part?.start)).toEqual([100, 100, undefined])
  expect(written[1]?.bytes.toString()).toBe('one\ntwo\n')
})

test('the larger the window, the longer the interval between writes', async () => {
  const { pausesMs } = await streamPieces([Buffer.from('a line\n'), Buffer.alloc(256 * 1024)])
  expect(pausesMs).toEqual([50, 200])
})
