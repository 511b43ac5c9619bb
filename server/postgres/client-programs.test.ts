import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newestClient } from './client-programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A folder with a `psql` that prints this. */
function withProgram(name: string, printed: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'psql'), `#!/bin/sh\necho '${printed}'\n`, { mode: 0o755 })
  return path
}

test('the newest program is taken, wherever it is, and none of another kind', async () => {
  const old = withProgram('old', 'psql (PostgreSQL) 9.6.24')
  const newest = withProgram('newest', 'psql (PostgreSQL) 99.1 (Debian 99.1-1)')
  const other = withProgram('other', 'psql 100, a puzzle')
  const found = await newestClient('psql', [old, newest, other, join(folder, 'absent')])
  expect(found).toEqual({ path: join(newest, 'psql'), major: 99 })
})
