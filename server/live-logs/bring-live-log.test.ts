import { expect, test } from 'vitest'
import type { LogPart } from '../executor/port.ts'
import { bringLiveLog } from './bring-live-log.ts'

const of = { subjectId: 'run_1', sandboxId: 'sandbox_1' }

/** Brings what a sandbox logs, one piece a look, until nobody wants it after the last. */
async function bring(pieces: (Buffer | 'away')[], ahead = 0) {
  const written: (LogPart | undefined)[] = []
  const pausesMs: number[] = []
  let looks = 0
  await bringLiveLog(
    {
      executor: {
        logSince: async (_id, position) => {
          const piece = pieces[looks]
          looks += 1
          if (piece === 'away') throw new Error('the agent is away')
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

test('only what is new is written, with what was before it', async () => {
  const { written } = await bring([Buffer.from('one\n'), Buffer.alloc(0), 'away', Buffer.from('two\n')])
  expect(written.map((part) => part?.bytes.toString())).toEqual([
    'one\n',
    undefined,
    undefined,
    'one\ntwo\n',
    undefined,
  ])
})

test('a log that goes on with another sandbox counts what was logged before', async () => {
  const { written } = await bring([Buffer.from('one\n'), Buffer.from('two\n')], 100)
  expect(written.map((part) => part?.start)).toEqual([100, 100, undefined])
  expect(written[1]?.bytes.toString()).toBe('one\ntwo\n')
})

test('the more is written each time, the more comes together', async () => {
  const { pausesMs } = await bring([Buffer.from('a line\n'), Buffer.alloc(256 * 1024)])
  expect(pausesMs).toEqual([50, 200])
})
