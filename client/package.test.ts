import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { userRoutes } from '@sandbox-jobs/contract/routes/user-routes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientNodes } from '../cli/testing/run-cli.ts'
import { TestApi } from '../testing/apps/test-api.ts'
import { createTestDatabase } from '../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../testing/factories/platform.ts'

/** The package as people get it: packed, and installed in a folder that has nothing else. */
const here = import.meta.dirname
const folder = mkdtempSync(join(tmpdir(), 'sandbox-client-'))
const run = promisify(execFile)
const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--offline'], { cwd })

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { companyId } = await makeTenant(db)
const administrator = await makeUser(db, companyId, { role: 4 })
const password = 'correct horse battery'
await api.must(userRoutes.createUser, administrator, { body: { login: 'writer', password, role: 4 } })

let origin: string
beforeAll(async () => {
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const tarball = 'client.tgz'
  await run('npm', ['run', 'client-package', '--', join(folder, tarball)], { cwd: join(here, '..') })
  await npm(['init', '-y'], folder)
  await npm(['install', `./${tarball}`], folder)
  for (const name of ['typed-use.ts', 'plain-use.mjs'])
    cpSync(join(here, 'samples', name), join(folder, name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('it brings its types and its reference, and needs no other package', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@sandbox-jobs',
  ])
  const installed = join(folder, 'node_modules/@sandbox-jobs/client')
  expect(readdirSync(installed).sort()).toEqual([
    'LICENSE',
    'README.md',
    'REFERENCE.md',
    'dist',
    'package.json',
  ])
  expect(readFileSync(join(installed, 'REFERENCE.md'), 'utf8')).toContain('### submitRun')
})

test('its sources need nothing of Node', async () => {
  const tsc = join(here, '../node_modules/.bin/tsc')
  await run(tsc, ['--project', here])
})

test('it is used under strict TypeScript, which finds wrong uses', async () => {
  const tsc = join(here, '../node_modules/.bin/tsc')
  const strict = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const { stdout } = await run(
    tsc,
    [...strict, '--module', 'nodenext', '--target', 'es2022', 'typed-use.ts'],
    {
      cwd: folder,
    },
  ).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

test.each(clientNodes)('it is used from plain JavaScript on %s', async (node) => {
  const { stdout } = await run(node, ['plain-use.mjs', origin, 'writer', password], { cwd: folder })
  expect(JSON.parse(stdout)).toMatchObject({
    listed: [
      expect.stringContaining('One'),
      expect.stringContaining('Two'),
      expect.stringContaining('Three'),
    ],
    refused: {
      typed: true,
      code: 'not_found',
      status: 404,
      hinted: true,
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
    sealed: ['encrypted_key', 'iv', 'ciphertext'],
  })
})
