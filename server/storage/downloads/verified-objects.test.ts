import { expect, it } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { sha256Of } from '../../base/sha256.ts'
import { VerifiedObjects } from './verified-objects.ts'

const bytes = Buffer.from('content')
const part = (key: string) => ({ key, start: 0, byteSize: bytes.length, digest: sha256Of(bytes) })
const { signal } = new AbortController()

/** Objects whose bytes come when a test says so, and a clock that a test sets. */
function slowObjects() {
  const started: string[] = []
  const gates = new Map<string, () => void>()
  let nowMs = 0
  const opened = async (key: string) => ({
    byteSize: bytes.length,
    stamp: 'one',
    read: async function* () {
      started.push(key)
      await new Promise<void>((resolve) => gates.set(key, resolve))
      yield bytes
    },
    close: async () => undefined,
  })
  const verified = new VerifiedObjects({ opened }, () => nowMs)
  const verify = (key: string, leaving = signal) =>
    verified.verify({ stamp: 'one' }, part(key), { companyId: key.slice(0, 1), signal: leaving })
  return {
    started,
    verify,
    /** Ends the hash of an object after so long. */
    end: async (key: string, tookMs = 0) => {
      await eventually(() => expect(started).toContain(key))
      nowMs += tookMs
      gates.get(key)?.()
    },
    startedNow: (...keys: string[]) => eventually(() => expect(started.toSorted()).toEqual(keys.toSorted())),
  }
}

it('companies have turns, however many objects one of them has', async () => {
  const { verify, end, startedNow } = slowObjects()
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((key) => verify(key))
  await startedNow('a1', 'b1')
  await end('a1', 5000)
  await startedNow('a1', 'b1', 'c1')
  await Promise.all(['b1', 'c1', 'a2', 'a3', 'b2'].map((key) => end(key)))
  await Promise.all(all)
})

it('companies whose objects take long leave a place to the others', async () => {
  const { verify, end, startedNow } = slowObjects()
  const all = ['a1', 'a2', 'b1', 'b2'].map((key) => verify(key))
  await startedNow('a1', 'b1')
  await end('a1', 5000)
  await end('b1')
  await startedNow('a1', 'b1', 'a2')
  all.push(verify('c1'))
  await startedNow('a1', 'b1', 'a2', 'c1')
  await Promise.all(['a2', 'b2', 'c1'].map((key) => end(key)))
  await Promise.all(all)
})

it('one company has a bounded number waiting, and readers that leave make space', async () => {
  const { verify, end, startedNow } = slowObjects()
  const first = verify('a')
  await startedNow('a')
  const leaving = new AbortController()
  const waiting = Array.from({ length: 64 }, (_, at) => verify(`a${at}`, leaving.signal).catch(() => 'left'))
  await expect(verify('a64')).rejects.toMatchObject({ code: 'downloads_busy' })
  const other = verify('b')
  await end('b')
  await other
  leaving.abort()
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'left'))
  const last = verify('a64')
  await end('a')
  await end('a64')
  await Promise.all([first, last])
})
