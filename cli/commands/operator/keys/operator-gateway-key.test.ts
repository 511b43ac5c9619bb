import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keysFolder } from '../../../../server/base/keys/keys.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { machineCommand, runCli } from '../../../testing/run-cli.ts'

const { db, url } = await createTestDatabase()
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-gateway-key-'))
  chmodSync(home, 0o711)
  mkdirSync(keysFolder(home), { recursive: true })
  writeFileSync(join(keysFolder(home), 'root.key'), 'ab'.repeat(32), { mode: 0o600 })
})
afterEach(() => rmSync(home, { recursive: true }))

test('the key alone is on standard output', async () => {
  const { companyId } = await makeTenant(db)
  const { exitCode, stdout, stderr } = await runCli(['operator', 'gateway-key', 'issue', companyId, 'bot'], {
    home,
    program: [machineCommand],
    env: { DATABASE_URL: url, SANDBOX_DATA: home },
  })
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringMatching(/^[\w.-]{20,}\n$/)])
  expect(stderr).toMatch(/^gwk_[0-9a-f]{32}; this is shown once:\n$/)
})
