import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const environment = {
  id: `env_${'2'.repeat(32)}`,
  name: 'python',
  current_version_id: `ver_${'3'.repeat(32)}`,
}
const runtime = {
  language: 'python3',
  version: '3.12.0',
  aliases: [],
  environment_version_id: environment.current_version_id,
  run_command: 'exec python3 "$@"',
  compile_command: null,
}
const door = {
  id: `dor_${'4'.repeat(32)}`,
  chatroom_id: room,
  name: 'Dify',
  kind: 'dify',
  path: '/doors/dify',
  network: true,
  timeout_seconds: 30,
  runtimes: [runtime],
  owner_user_id: `usr_${'5'.repeat(32)}`,
  created_at: '2026-01-01T00:00:00.000Z',
  last_used_at: null,
}
let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-doors-'))
  const page = (items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })
  service.answers.listEnvironments = () => page([environment])
  service.answers.listDoors = () => page([door])
  service.answers.createDoor = () => ({ json: { ...door, door_key: 'sbd_AAAA' } })
  service.answers.deleteDoor = () => ({ json: door })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const doors = (...args: string[]) =>
  runCli(['door', ...args, '--room', room], {
    home,
    stdin: '',
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })

test('add prints only the key on standard output, and looks up the environment', async () => {
  const made = await doors(
    'add',
    'Dify',
    '--kind',
    'dify',
    '--language',
    'python3:3.12.0=python',
    '--no-network',
  )
  expect(made.stdout).toBe('sbd_AAAA\n')
  expect(made.stderr).toContain('/doors/dify')
  expect(JSON.parse(String(service.requests.at(-1)?.body))).toEqual({
    name: 'Dify',
    kind: 'dify',
    runtimes: [
      { language: 'python3', version: '3.12.0', environment_version_id: environment.current_version_id },
    ],
    network: false,
  })
})

test('add refuses a language without an environment, and another kind', async () => {
  expect((await doors('add', 'Dify', '--kind', 'dify', '--language', 'python3')).exitCode).toBe(2)
  expect((await doors('add', 'Dify', '--kind', 'other', '--language', 'python3=python')).exitCode).toBe(2)
})

test('list, and remove by name', async () => {
  expect((await doors('list')).stdout).toMatch(/dify +python3 +never +Dify/)
  expect((await doors('remove', 'Dify')).stdout).toBe(`${door.id} is removed.\n`)
})
