import { expect, test } from 'vitest'
import { createLog } from '../base/logging.ts'
import { startLoop } from './loop.ts'

const log = createLog('test', 'silent')

test('a round that fails is followed by another', async () => {
  let rounds = 0
  await new Promise<void>((resolve) => {
    const loop = startLoop({
      name: 'test',
      everyMs: 1,
      log,
      runOnce: async () => {
        rounds += 1
        if (rounds === 1) throw new Error('outage')
        resolve(loop.stop())
        return {}
      },
    })
  })
  expect(rounds).toBe(2)
})

test('stopping waits for the round under way and starts no other', async () => {
  const rounds: string[] = []
  let release = () => {}
  const loop = startLoop({
    name: 'test',
    everyMs: 1,
    log,
    runOnce: async () => {
      rounds.push('begun')
      await new Promise<void>((resolve) => {
        release = resolve
      })
      rounds.push('ended')
      return {}
    },
  })
  const stopped = loop.stop()
  release()
  await stopped
  expect(rounds).toEqual(['begun', 'ended'])
})
