import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeRequest, type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string
const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })
const echo = ({ body }: FakeRequest) => ({ json: JSON.parse(body.toString()) as unknown })

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-egress-'))
  Object.assign(service.answers, {
    listEnvironments: () => ({ json: page([{ id: 'env_1', name: 'python' }]) }),
    listTasks: () => ({ json: page([{ id: 'task_1', name: 'report' }]) }),
    readEnvironmentEgress: () => ({ json: { allow_list: null } }),
    readTaskEgress: () => ({ json: { allow_list: { domains: [], cidrs: [] } } }),
    changeEnvironmentEgress: echo,
    changeTaskEgress: echo,
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const sandbox = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

test('the allow list is shown', async () => {
  expect((await sandbox('env', 'egress', 'python')).stdout).toBe(
    'Runs of python reach every public address.\n',
  )
  expect((await sandbox('task', 'egress', 'report')).stdout).toBe('Runs of report reach nothing.\n')
})

test('a name prints no control character', async () => {
  service.answers.listTasks = () => ({ json: page([{ id: 'task_1', name: '\u001b[2J' }]) })
  expect((await sandbox('task', 'egress', 'task_1')).stdout).toBe('Runs of \\x1b[2J reach nothing.\n')
})

test('a list is set from domains, addresses and ranges', async () => {
  const entries = ['api.example.org', '*.example.org', '8.8.8.8', '2001:4860::/32', '2606:4700::1111']
  const { stdout } = await sandbox('env', 'egress', 'python', '--allow', ...entries)
  const cidrs = ['8.8.8.8/32', '2001:4860::/32', '2606:4700::1111/128']
  expect(JSON.parse(service.requests.at(-1)?.body.toString() ?? '')).toEqual({
    allow_list: { domains: ['api.example.org', '*.example.org'], cidrs },
  })
  expect(stdout).toBe(
    `Runs of python reach:\n${['api.example.org', '*.example.org', ...cidrs].map((entry) => `  ${entry}\n`).join('')}`,
  )
})

test('a list is emptied and removed', async () => {
  expect((await sandbox('task', 'egress', 'report', '--nothing')).stdout).toContain('reach nothing')
  expect((await sandbox('task', 'egress', 'report', '--everything')).stdout).toContain('every public address')
  expect((await sandbox('task', 'egress', 'report', '--everything', '--nothing')).exitCode).toBe(2)
})

test('refused connections of a run are shown with their reasons', async () => {
  const item = { attempts: 2, first_at: '2026-01-01T00:00:00.000Z', last_at: '2026-01-01T00:00:01.000Z' }
  const items = [
    {
      ...item,
      protocol: 'tcp',
      name: '',
      address: '2001:db8::1',
      port: 443,
      reason: 'x',
      explanation: 'Why.',
    },
    { ...item, protocol: 'dns', name: 'a.test', address: '', port: 0, reason: 'x', explanation: 'No name.' },
  ]
  const run = `run_${'0'.repeat(32)}`
  Object.assign(service.answers, {
    listOwnChatrooms: () => ({ json: page([{ id: 'room_1', name: 'Room' }]) }),
    readNetworkLog: () => ({ json: { run_id: run, items, more: 5 } }),
  } satisfies FakeService['answers'])
  const { stdout } = await sandbox('network-log', run, '--room', 'Room')
  expect(stdout).toContain('[2001:db8::1]:443')
  expect(stdout).toMatch(/2 +dns +a\.test +No name\./)
  expect(stdout).toContain('and 5 further attempts\n')
})
