import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keysFolder, openKeys } from '../../../server/base/keys/keys.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { adminApplyCommand } from './admin-apply.ts'

const { url } = await createTestDatabase()

let folder = ''
let said = { out: '', err: '' }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-admin-'))
  openKeys(keysFolder(folder))
  vi.stubEnv('SANDBOX_DATA', folder)
  vi.stubEnv('DATABASE_URL', url)
  said = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.out += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.err += text
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
  rmSync(folder, { recursive: true })
})

const file = (text: string) => {
  const path = join(folder, 'company.yaml')
  writeFileSync(path, text)
  return path
}

const run = async (...args: string[]) => {
  await adminApplyCommand().parseAsync(args, { from: 'user' })
  const { exitCode } = process
  process.exitCode = undefined
  return exitCode ?? 0
}

const acme = 'companies: [{ name: acme, users: [{ login: ada, role: company_administrator }] }]'

describe('sandbox admin apply', () => {
  it('prints the difference and a new password once', async () => {
    const path = file(acme)
    expect(await run(path, '--dry-run')).toBe(0)
    expect(said.out).toBe(
      'acme\n  + company acme\n  + user ada (company_administrator)\n\n2 changes would be made.\n',
    )
    said.out = ''
    expect(await run(path)).toBe(0)
    expect(said.out).toMatch(/Shown this once:\n {2}password of ada {2}\S{24}\n\n2 changes made\.\n$/)
    said.out = ''
    expect(await run(path)).toBe(0)
    expect(said.out).toBe('Nothing to change.\n')
  })

  it('prints one JSON document with --json', async () => {
    const path = file(acme.replaceAll('acme', 'json').replace('ada', 'json-ada'))
    expect(await run(path, '--json')).toBe(0)
    expect(JSON.parse(said.out)).toMatchObject({
      dry_run: false,
      changes: [
        { op: '+', kind: 'company' },
        { op: '+', kind: 'user', name: 'json-ada' },
      ],
      passwords: [{ company: 'json', login: 'json-ada' }],
      api_keys: [],
    })
  })

  it('exits with 2 and lists the line of each mistake', async () => {
    const path = file('companies:\n  - name: acme\n    user: []\n')
    expect(await run(path)).toBe(2)
    expect(said.err).toContain(`${path}: line 3: companies[0].user: is not known here`)
    expect(said.err).toMatch(/Nothing was changed\.\n$/)
  })

  it('exits with 2 for a missing file', async () => {
    expect(await run(join(folder, 'missing.yaml'))).toBe(2)
    expect(said.err).toContain('missing.yaml cannot be read')
  })

  it('exits with 2 for invalid settings', async () => {
    vi.stubEnv('SANDBOX_PORT', 'http')
    expect(await run(file(acme))).toBe(2)
    expect(said.err).toContain('SANDBOX_PORT must be')
  })

  it('exits with 1 when the service never ran or does not answer, and makes no keys', async () => {
    rmSync(join(folder, 'keys'), { recursive: true })
    expect(await run(file(acme))).toBe(1)
    expect(said.err).toContain('no service has run with the data folder')
    openKeys(keysFolder(folder))
    vi.stubEnv('DATABASE_URL', 'postgres://nobody:x@127.0.0.1:1/none')
    said.err = ''
    expect(await run(file(acme))).toBe(1)
    expect(said.err).toContain('does not answer')
  })
})
