import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const id = (at: number) => `ntf_${String(at).repeat(32)}`
const notification = (at: number, title: string) => ({
  id: id(at),
  type: 'sandbox_event',
  event: 'run_terminal',
  title,
  deep_link: '/console/runs',
  subject_type: 'runs',
  subject_id: null,
  chatroom_id: null,
  count: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  read_at: null,
})

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-notifications-'))
  const items = [notification(1, 'Report\u001b[2J: completed'), notification(2, 'Other: cancelled')]
  service.answers.listNotifications = () => ({ json: { items, page_size: 20, next_page_token: null } })
  service.answers.readNotification = () => ({ json: { ...items[0], read_at: '2026-01-01T00:00:01.000Z' } })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const notifications = (...args: string[]) =>
  runCli(['notifications', ...args], {
    home,
    stdin: '',
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })

test('lists unread ones with controls spelled out, or all', async () => {
  const { exitCode, stdout } = await notifications()
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Report\\x1b[2J: completed')])
  await notifications('--all')
  expect(service.requests.map(({ query }) => query.get('unread'))).toEqual(['true', null])
})

test('marks one or all as read', async () => {
  expect((await notifications('--read', id(7))).stdout).toBe('1 marked as read.\n')
  expect((await notifications('--read', 'all')).stdout).toBe('2 marked as read.\n')
  const marked = service.requests.filter(({ route }) => route === 'readNotification')
  expect(marked.map(({ params }) => params.nid)).toEqual([id(7), id(1), id(2)])
})
