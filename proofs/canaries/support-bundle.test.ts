import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canariesWith, newStem, patternsOf } from './canary.ts'
import { Search } from './search.ts'

const run = promisify(execFile)
const command = join(import.meta.dirname, '../../sandbox')
const stem = newStem()
const canaries = canariesWith(stem)
const search = new Search(patternsOf(stem))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-support-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

const line = (fields: object) => JSON.stringify({ level: 50, time: 1000, pid: 7, name: 'api', ...fields })

/** Everywhere where this machine has, or its logs could have, a secret or what a tenant wrote. */
async function plant(data: string): Promise<Record<string, string>> {
  for (const name of ['logs', 'keys/api', 'postgres']) await mkdir(join(data, name), { recursive: true })
  const [key, password, login] = [`${stem}key`, `${stem}pw`, `mailer:${stem}mail`]
  await writeFile(join(data, 'keys/api/root.key'), `${key}\n`)
  await writeFile(join(data, 'postgres/password'), password)
  await writeFile(join(folder, 'login'), login)
  await writeFile(join(folder, 'token'), `${stem}token\n`)
  const api = [
    line({
      msg: 'request',
      request: 'ab',
      route: '/runs/:run',
      input: canaries,
      token: canaries.TOKEN,
      headers: canaries,
    }),
    line({
      msg: 'request failed',
      err: { message: 'no row', stack: canaries.LINES, detail: canaries.OTHER },
    }),
    line({ msg: `a fault that names the key ${key}`, error: `login with ${password}` }),
    `Error: ${canaries.QUOTES}`,
    '    at readRow (file:///program/server/db/rows.ts:10:5)',
  ]
  await writeFile(join(data, 'logs/api.log'), `${api.join('\n')}\n`)
  const postgres = [
    'LOG:  checkpoint starting',
    `ERROR:  invalid input ${stem}`,
    `DETAIL:  Key (name)=(${stem})`,
  ]
  const at = '2030-01-01 00:00:00.000 UTC [7] '
  await writeFile(join(data, 'logs/postgres.log'), postgres.map((each) => `${at}${each}\n`).join(''))
  return {
    SANDBOX_DATA: data,
    DATABASE_URL: `postgres://jobs:${stem}@127.0.0.1:1/jobs?password=${stem}`,
    SANDBOX_MAIL_SERVER: 'smtp://127.0.0.1:1',
    SANDBOX_MAIL_LOGIN_FILE: join(folder, 'login'),
    SANDBOX_SECRET_KEYS: 'vault',
    SANDBOX_VAULT_ADDRESS: `https://operator:${stem}@vault.example.org`,
    SANDBOX_VAULT_TOKEN_FILE: join(folder, 'token'),
  }
}

test('a bundle says what helps and has no secret, wherever the machine has one', async () => {
  const data = join(folder, 'data')
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...(await plant(data)) }
  const file = join(folder, 'bundle.tar.gz')
  await run(command, ['operator', 'support-bundle', file], { env })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const out = join(folder, 'out')
  await mkdir(out)
  await run('tar', ['-xzf', file, '-C', out, '--strip-components=1'])

  expect(await search.below(out)).toEqual([])
  // The same search finds them where they are.
  const found = await search.below(data)
  for (const name of ['root.key', 'password', 'api.log', 'postgres.log'])
    expect(found).toContainEqual(expect.stringContaining(name))

  const read = (name: string) => readFile(join(out, name), 'utf8')
  expect(JSON.parse(await read('settings.json'))).toContainEqual({
    ...{ name: 'DATABASE_URL', value: 'postgres://127.0.0.1:1', is_default: false },
  })
  const api = await read('logs/api.jsonl')
  for (const text of ['"route":"/runs/:run"', 'no row', 'the key [secret]', 'rows.ts:10:5'])
    expect(api).toContain(text)
  expect(await read('logs/postgres.jsonl')).toContain('checkpoint starting')
  expect(JSON.parse(await read('doctor.json')).length).toBeGreaterThan(5)
  expect(JSON.parse(await read('database.json'))).toEqual({ problems: [expect.any(String)] })
})

test('a file that exists is not replaced', async () => {
  const file = join(folder, 'kept')
  await writeFile(file, 'mine')
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: join(folder, 'nothing') }
  await expect(run(command, ['operator', 'support-bundle', file], { env })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('EEXIST'),
  })
  expect(await readFile(file, 'utf8')).toBe('mine')
})
