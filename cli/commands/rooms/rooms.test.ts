import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const task = { id: 'tsk_1', name: 'report', description: 'Totals\u001b[31m', state: 'active' }
const shared = { task_id: 'tsk_1', target_kind: 'chatroom', target_id: room, active: true }

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-rooms-'))
  const { answers } = service
  answers.listOwnChatrooms = () =>
    page({ id: room, name: 'daily', department_id: 'dep_1', department_name: 'sales', manages: true })
  answers.listTasks = () =>
    page({ ...task, owner_scope: 'company', owner_id: 'cmp_1', security_state: 'clear' })
  answers.listGrantedJobs = () => page({ task_id: 'tsk_1', task_name: 'report', enabled: false })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const page = (...items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })
const cli = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
const last = () => service.requests.at(-1)
const bodyOf = () => JSON.parse(String(last()?.body)) as unknown

test('the menu of a room is listed, and one task shows what its input must be', async () => {
  const item = {
    task_id: 'tsk_1',
    task_name: 'report',
    task_description: 'Totals\u001b[31m',
    version_number: 3,
    timeout_seconds: 60,
    requires_confirmation: true,
    update_available: true,
    input_instructions: 'A list of rows',
    input_example: '{"rows":[]}',
    input_schema: null,
    secret_slot_names: ['TOKEN'],
  }
  service.answers.readMenu = () => page(item)
  const { stdout } = await cli('menu', '--room', 'daily')
  expect(stdout).toMatch(/^report +3 \(newer exists\) +60 s +yes +Totals\\x1b/m)
  const shown = (await cli('menu', 'report', '--room', 'daily')).stdout
  for (const text of ['version 3', 'A list of rows', '{"rows":[]}', 'TOKEN']) expect(shown).toContain(text)
  expect(shown).not.toContain('\u001b')
  expect(JSON.parse((await cli('menu', '--room', 'daily', '--json')).stdout)).toEqual({ items: [item] })
})

test('a shared task is enabled by name, with the newest or a chosen version, and disabled', async () => {
  service.answers.enableGrantedJob = () => ({ json: { pinned_task_version_id: 'tvr_2' } })
  service.answers.disableGrantedJob = () => ({ json: { enabled: false } })
  expect((await cli('enable', 'report', '--room', 'daily')).stdout).toContain(
    'on the menu, with version tvr_2',
  )
  expect([last()?.params, bodyOf()]).toEqual([{ cid: room, tid: 'tsk_1' }, {}])
  await cli('enable', 'report', '--room', room, '--task-version', 'tvr_1')
  expect(bodyOf()).toEqual({ task_version_id: 'tvr_1' })
  expect((await cli('disable', 'report', '--room', 'daily')).stdout).toContain('not on the menu')
  const unknown = await cli('enable', 'reprt', '--room', 'daily')
  expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Did you mean report?') })
})

test('a task is shared with a room and unshared', async () => {
  service.answers.createShare = () => ({ json: shared })
  service.answers.listShares = () => page({ id: 'shg_1', ...shared })
  service.answers.revokeShare = () => ({ json: shared })
  expect((await cli('share', 'report', '--room', 'daily')).stdout).toContain(`shared with room ${room}`)
  expect(bodyOf()).toEqual({ target_kind: 'chatroom', target_id: room })
  const revoked = await cli('unshare', 'report', '--room', 'daily', '--reason', 'over')
  expect(revoked.exitCode).toBe(0)
  expect([last()?.params, bodyOf()]).toEqual([{ id: 'tsk_1', gid: 'shg_1' }, { reason: 'over' }])
  service.answers.listShares = () => page()
  expect((await cli('unshare', 'report', '--room', 'daily')).stderr).toContain('not shared')
  expect(await cli('share', 'report')).toMatchObject({ exitCode: 2 })
})

test('tasks are listed, and one is shown with its versions and shares', async () => {
  const version = {
    id: 'tvr_1',
    version_number: 1,
    state: 'published',
    environment_version_id: 'ver_1',
    timeout_seconds: 60,
  }
  service.answers.listTaskVersions = () => page(version)
  service.answers.listShares = () => page({ id: 'shg_1', ...shared, authority_applicable: true })
  expect((await cli('task', 'list')).stdout).toMatch(/^report +tsk_1 +company +active +not published/m)
  const { stdout } = await cli('task', 'show', 'report')
  expect(stdout).toMatch(/^1 +tvr_1 +published +ver_1 +60 s/m)
  expect(stdout).toMatch(new RegExp(`^room +${room} +yes`, 'm'))
  expect(stdout).not.toContain('\u001b')
})

test('who may not see the shares of a task sees the task', async () => {
  service.answers.listTaskVersions = () => page()
  service.answers.listShares = () => ({ status: 404, detail: { code: 'not_found', message: 'Not Found' } })
  const shown = await cli('task', 'show', 'report', '--json')
  expect([shown.exitCode, JSON.parse(shown.stdout).shares]).toEqual([0, null])
})

test('rooms are listed with the names of their departments', async () => {
  expect((await cli('rooms')).stdout).toMatch(new RegExp(`^daily +${room} +sales +manager`, 'm'))
})

test('the only room is the default; of several one must be named', async () => {
  service.answers.readMenu = () => page()
  expect((await cli('menu')).exitCode).toBe(0)
  expect(last()?.params).toEqual({ cid: room })
  service.answers.listOwnChatrooms = () => page({ id: room, name: 'daily' }, { id: room, name: 'front' })
  expect(await cli('menu')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error: You have 2 rooms, and none is named.\nhint:  Name one with --room: daily, front.\n',
  })
  service.answers.listOwnChatrooms = () => page()
  expect((await cli('menu')).stderr).toContain('You are in no room')
})
