import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { keysFolder } from '../../base/keys/keys.ts'
import { onLocalService } from './local-service.ts'

const { db: own, url } = await createTestDatabase()
/** The account of the API in these tests. */
const api = 65534

let folder: string
let keys: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-local-'))
  chmodSync(folder, 0o711)
  keys = keysFolder(folder)
  mkdirSync(keys, { recursive: true, mode: 0o711 })
  writeFileSync(join(keys, 'root.key'), 'ab'.repeat(32), { mode: 0o600 })
  for (const path of [join(keys, 'root.key'), keys]) chownSync(path, api, api)
  vi.stubEnv('SANDBOX_DATA', folder)
  vi.stubEnv('DATABASE_URL', url)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

test('keys that are missing are made by the account of the API', async () => {
  expect(await onLocalService(async () => 'done')).toEqual({ ok: true, value: 'done' })
  expect(statSync(join(keys, 'token-signing.pem')).uid).toBe(api)
})

test('a link of the API leads root to no other file', async () => {
  const outside = join(folder, 'of-root')
  writeFileSync(outside, 'kept', { mode: 0o600 })
  symlinkSync(outside, join(keys, `token-signing.pem.${process.pid}`))
  expect(await onLocalService(async () => 'done')).toMatchObject({ ok: false, cause: 'service' })
  expect(readFileSync(outside, 'utf8')).toBe('kept')
  expect(existsSync(join(keys, 'token-signing.pem'))).toBe(false)
})

test('standard output has the document of a command alone', async () => {
  const written = vi.spyOn(fs, 'writeSync')
  await onLocalService(async ({ db }) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(own)
    await vi.waitFor(() => expect(written).toHaveBeenCalled())
  })
  const lines = written.mock.calls.map(([descriptor, line]) => [descriptor, String(line)])
  expect(lines).toEqual([[2, expect.stringContaining('idle database connection lost')]])
})
