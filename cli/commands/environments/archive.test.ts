import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string
const page = (items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-archive-'))
  Object.assign(service.answers, {
    listEnvironments: () => page([{ id: 'env_1', name: 'python' }]),
    listEnvironmentVersions: () => page([{ id: 'ver_3', environment_id: 'env_1', version_number: 3 }]),
    listTasks: () => page([{ id: 'task_1', name: 'report' }]),
    archiveEnvironment: ({ params }) => ({ json: { ...params, name: 'python', state: 'archived' } }),
    archiveEnvironmentVersion: ({ params }) => ({ json: { ...params, version_number: 3 } }),
    archiveTask: ({ params }) => ({ json: { ...params, name: 'report', state: 'archived' } }),
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const sandbox = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

test.each([
  [['env', 'archive', 'python'], 'archiveEnvironment', { id: 'env_1' }, 'Archived python.\n'],
  [
    ['env', 'archive', 'python@3'],
    'archiveEnvironmentVersion',
    { id: 'env_1', vid: 'ver_3' },
    'Archived version 3.\n',
  ],
  [['task', 'archive', 'report'], 'archiveTask', { id: 'task_1' }, 'Archived report.\n'],
])('sandbox %j archives it', async (args, route, params, said) => {
  const { exitCode, stdout } = await sandbox(...args)
  expect([exitCode, stdout]).toEqual([0, said])
  expect(service.requests.at(-1)).toMatchObject({ route, params })
})

test.each([
  ['task', 'archiveTask'],
  ['env', 'archiveEnvironment'],
] as const)('sandbox %s archive prints no control character of a name', async (kind, route) => {
  service.answers[route] = () => ({ json: { name: '\u001b]0;owned\u0007' } })
  const { stdout } = await sandbox(kind, 'archive', kind === 'task' ? 'report' : 'python')
  expect(stdout).toBe('Archived \\x1b]0;owned\\x07.\n')
})

test('a refused archive prints the reason', async () => {
  service.answers.archiveTask = () => ({
    status: 409,
    detail: { code: 'already_archived', message: 'The task is already archived.' },
  })
  const { exitCode, stderr } = await sandbox('task', 'archive', 'report')
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('The task is already archived.')
})
