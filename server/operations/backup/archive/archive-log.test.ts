import { randomBytes } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { contentOfSegment } from './archive-log.ts'
import { segmentBytes } from './segments.ts'

const name = '000000010000000000000001'
const stored = randomBytes(segmentBytes)
let walDir: string

beforeEach(() => {
  walDir = mkdtempSync(join(tmpdir(), 'sandbox-test-segment-'))
  writeFileSync(join(walDir, name), stored)
})
afterEach(() => rmSync(walDir, { recursive: true }))

const read = async (bytes: number) =>
  Buffer.concat(await Array.fromAsync(contentOfSegment(walDir, { name, bytes })))

test('a part of a segment has zeros after it, and a whole one none', async () => {
  expect((await read(segmentBytes)).equals(stored)).toBe(true)
  const part = Buffer.concat([stored.subarray(0, 5000), Buffer.alloc(segmentBytes - 5000)])
  expect((await read(5000)).equals(part)).toBe(true)
})

test('a segment that the server takes for later log while it is read does not count', async () => {
  const content = contentOfSegment(walDir, { name, bytes: segmentBytes })
  expect((await content.next()).done).toBe(false)
  renameSync(join(walDir, name), join(walDir, '000000010000000000000009'))
  await expect(Array.fromAsync(content)).rejects.toThrow(`segment ${name} was removed while it was read`)
})

test('a link in place of a segment is not followed', async () => {
  renameSync(join(walDir, name), join(walDir, 'elsewhere'))
  symlinkSync(join(walDir, 'elsewhere'), join(walDir, name))
  await expect(read(segmentBytes)).rejects.toThrow(`segment ${name} of the write-ahead log was removed`)
})
