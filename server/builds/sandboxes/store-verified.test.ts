import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Executor } from '../../../agent/port/executor.ts'
import type { ImageReading } from '../../../reader/process/image-verifier.ts'
import { testReaders } from '../../../testing/test-readers.ts'
import { sleep } from '../../base/clock.ts'
import { createLog } from '../../base/logging.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { storeVerified } from './store-verified.ts'

const full = { put: () => Promise.reject(new Error('no space left')) } as Partial<ObjectStorage>

async function stored(file: Executor['file']) {
  const readings: ImageReading<object>[] = []
  const tools = { executor: { file } as Executor, storage: full as ObjectStorage }
  const read = () => {
    const reading = testReaders(createLog('test', 'silent')).readImage()
    readings.push(reading)
    return reading
  }
  const refused = await storeVerified(tools, { sandboxId: 'x', key: 'y', read, compressed: true }).catch(
    (error: Error) => error.message,
  )
  return { refused, readings }
}

test('an image that cannot be stored releases its reader and its source', async () => {
  const image = new Readable({ read: () => undefined })
  const { refused, readings } = await stored(async () => image)
  expect(refused).toBe('no space left')
  for (const { reader } of readings) while (await reader.peakBytes()) await sleep(10)
  expect([readings.length, image.destroyed]).toEqual([1, true])
})

test('no reader is started for an image without a source', async () => {
  const { refused, readings } = await stored(() => Promise.reject(new Error('no sandbox')))
  expect([refused, readings.length]).toEqual(['no sandbox', 0])
})
