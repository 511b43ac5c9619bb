import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const sid = `ses_${'1'.repeat(32)}`
const room = `roo_${'3'.repeat(32)}`
const session = {
  id: sid,
  chatroom_id: room,
  name: 'Sales\u001b[2J',
  created_by: `usr_${'4'.repeat(32)}`,
  byte_size: 7,
  file_count: 2,
  size_limit_bytes: 1024 ** 2,
  revision: 3,
  run_id: null,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: '2026-01-01T00:00:00Z',
  keep_hours: 720,
  expires_at: '2026-01-31T00:00:00Z',
}
const content = 'content'
const file = {
  path: 'data/a.csv',
  kind: 'file',
  byte_size: content.length,
  is_executable: false,
  digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  target: null,
}
const link = { ...file, path: 'away\u202e', kind: 'link', byte_size: 0, digest: null, target: '/etc/passwd' }

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-sessions-'))
  service.answers.createSession = () => ({ json: session })
  service.answers.listSessions = () => ({ json: { items: [session], page_size: 100, next_page_token: null } })
  service.answers.readSession = () => ({ json: session })
  service.answers.listSessionFiles = () => ({
    json: { items: [link, file], page_size: 100, next_page_token: null },
  })
  service.answers.writeSessionFile = () => ({ json: file })
  service.answers.readSessionFile = () => ({ bytes: Buffer.from(content) })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const run = (...args: string[]) =>
  runCli(['session', ...args, '--room', room], {
    home,
    stdin: '',
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })

test('create prints the id alone, and says what was asked for', async () => {
  const { exitCode, stdout } = await run('create', '--size', '2', '--keep-hours', '5', '--fork-of', sid)
  expect([exitCode, stdout]).toEqual([0, `${sid}\n`])
  expect(JSON.parse(String(service.requests.at(-1)?.body))).toEqual({
    size_limit_bytes: 2 * 1024 ** 2,
    keep_hours: 5,
    fork_of: sid,
  })
})

test('list, show and ls print names with controls spelled out', async () => {
  expect((await run('list')).stdout).toContain('Sales\\x1b[2J')
  expect((await run('show', sid)).stdout).toContain('no run holds it')
  expect((await run('ls', sid)).stdout).toContain('away\\u202e -> /etc/passwd')
})

test('a manager lists the sessions of everybody with their owners, and deletes one', async () => {
  service.answers.listRoomSessions = () => ({
    json: { items: [session], page_size: 100, next_page_token: null },
  })
  service.answers.deleteRoomSession = () => ({ json: session })
  const { stdout } = await run('list', '--as-manager')
  expect(stdout).toContain('OWNER')
  expect(stdout).toContain(session.created_by)
  expect((await run('delete', sid, '--as-manager')).stdout).toBe(`Deleted ${sid}.\n`)
  expect(service.requests.map(({ route }) => route)).toEqual(['listRoomSessions', 'deleteRoomSession'])
})

test('get saves the files, and no link', async () => {
  const { exitCode, stdout } = await run('get', sid, '--out', home)
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 file in')])
  expect(readFileSync(join(home, 'data/a.csv'), 'utf8')).toBe(content)
  expect((await run('get', sid, 'other', '--out', home)).exitCode).not.toBe(0)
})

test('put sends the file under its name, and refuses what is no file before it sends anything', async () => {
  writeFileSync(join(home, 'a.csv'), content)
  expect((await run('put', sid, join(home, 'a.csv'))).exitCode).toBe(0)
  expect(service.requests.map(({ route }) => route)).toEqual(['writeSessionFile'])
  expect((await run('put', sid, home)).exitCode).toBe(2)
  expect(service.requests).toHaveLength(1)
})
