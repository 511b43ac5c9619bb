import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Credentials, readCredentials, rememberRuns, writeCredentials } from './credentials-file.ts'

let parent: string
let path: string

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'credentials-'))
  path = join(parent, 'new/credentials.json')
})
afterEach(() => rmSync(parent, { recursive: true }))

const credentials = (): Credentials => ({
  url: 'http://127.0.0.1:1',
  logins: { 'http://127.0.0.1:1': { user: 'ada', token: 'secret', expires_at: '2026-01-01T00:00:00Z' } },
  run_rooms: [],
})

test('a login is stored in a file and a folder that only the owner can read', async () => {
  await writeCredentials(path, credentials())
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  expect(await readCredentials(path)).toEqual(credentials())
  expect(readdirSync(dirname(path))).toEqual(['credentials.json'])
})

test('a file that others can read is replaced by a private one', async () => {
  path = join(parent, 'credentials.json')
  writeFileSync(path, '{}', { mode: 0o644 })
  await writeCredentials(path, credentials())
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a missing file means no login, and a broken one gives a hint', async () => {
  expect(await readCredentials(path)).toEqual({ logins: {}, run_rooms: [] })
  writeFileSync(join(parent, 'broken'), '{')
  await expect(readCredentials(join(parent, 'broken'))).rejects.toMatchObject({
    hint: expect.stringContaining('sandbox login'),
  })
})

test('the rooms of the latest runs are remembered, up to a limit', () => {
  const stored = credentials()
  const runs = Array.from({ length: 600 }, (_, index) => ({ id: `run_${index}`, chatroom_id: 'roo_1' }))
  expect(rememberRuns(stored, runs)).toBe(true)
  expect(rememberRuns(stored, runs.slice(-2))).toBe(false)
  expect(stored.run_rooms).toHaveLength(500)
  expect(stored.run_rooms.at(-1)).toEqual(['run_599', 'roo_1'])
})
