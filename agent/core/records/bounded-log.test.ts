import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { awaitLogSince } from './bounded-log.ts'

/** Longer than the test timeout: a call that waits this long fails. */
const longMs = 60_000
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const since = async (position: number, waitMs: number) => {
  const { start, bytes } = await awaitLogSince(folder, { limit: 64, position, waitMs })
  return [start, bytes.toString()]
}

test('existing bytes are returned at once', async () => {
  await appendFile(join(folder, 'log.head'), 'first\n')
  expect(await since(0, longMs)).toEqual([0, 'first\n'])
})

test('a line is returned when it is written, also the first of a log', async () => {
  const first = since(0, longMs)
  await appendFile(join(folder, 'log.head'), 'first\n')
  expect(await first).toEqual([0, 'first\n'])
  const second = since(6, longMs)
  await appendFile(join(folder, 'log.head'), 'second\n')
  expect(await second).toEqual([6, 'second\n'])
})

test('a silent log returns nothing after the timeout', async () => {
  await appendFile(join(folder, 'log.head'), 'first\n')
  expect(await since(6, 30)).toEqual([6, ''])
})
