import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`
const again = `run_${'3'.repeat(32)}`
const ended = {
  id: again,
  chatroom_id: room,
  status: 'customer_failed',
  error_code: 'work_exit_nonzero',
  exit_code: 3,
  next_action: '',
  failure_hint: '',
  queue_position: null,
  eta_seconds: null,
  terminal_at: '2026-01-01T00:00:00Z',
}

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-again-'))
  const { answers } = service
  const queued = { id: again, chatroom_id: room, status: 'queued' }
  answers.retryRun = () => ({ json: queued })
  answers.quickRun = () => ({ json: { run: queued, task: {}, version: {} } })
  answers.readRun = () => ({ json: ended })
  answers.followRunLog = () => ({ bytes: 'id: 1\ndata: {"kind":"end","status":"customer_failed"}\n\n' })
  answers.readRunRemarks = () => ({ json: { run_id: again, remarks: [] } })
  answers.readRunContent = () => ({ json: { has_output: false, has_log: false } })
  answers.listEnvironments = () =>
    page(
      { id: 'env_1', name: 'python', current_version_id: 'ver_2' },
      { id: 'env_2', name: 'new', current_version_id: null },
    )
  answers.listEnvironmentVersions = () =>
    page({
      id: 'ver_1',
      version_number: 1,
      state: 'ready',
      security_state: 'clear',
      resource_profile: 'standard',
      unpacked_bytes: 2048,
      last_build_status: 'completed',
    })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const page = (...items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })
const cli = (args: string[], stdin = '') =>
  runCli(args, { home, stdin, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
const submitted = (route: string) => {
  const found = service.requests.find((request) => request.route === route)
  expect(found?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  return String(found?.body)
}

test('a run is retried with its own input, or with the exact text of another', async () => {
  expect((await cli(['retry', run, '--room', room])).stdout).toBe(`${again} is queued.\n`)
  expect(submitted('retryRun')).toBe('')
  service.requests.length = 0
  await cli(['retry', run, '--room', room, '--input', '{"n":1.0}'])
  expect(submitted('retryRun')).toBe('{"input":{"n":1.0}}')
})

test('the exit code of a watched retry is that of the job', async () => {
  expect((await cli(['retry', run, '--room', room, '--watch'])).exitCode).toBe(3)
  service.answers.retryRun = () => ({ status: 409, detail: { code: 'retry_not_eligible', message: 'No.' } })
  expect((await cli(['retry', run, '--room', room, '--watch'])).exitCode).toBe(125)
})

test('a script runs once in the current version of an environment, or in a chosen one', async () => {
  const where = ['--room', room, '--env']
  const quick = await cli(['quick-run', '-', ...where, 'python', '--input', '{"n":1.0}'], 'echo hi\n')
  expect(quick).toMatchObject({ exitCode: 0, stdout: `${again} is queued.\n` })
  const body = submitted('quickRun')
  expect(body).toContain('"input":{"n":1.0}')
  expect(JSON.parse(body)).toMatchObject({
    work_script: 'echo hi\n',
    environment_version_id: 'ver_2',
    timeout_seconds: 300,
  })
  service.requests.length = 0
  writeFileSync(join(home, 'work.sh'), 'true\n')
  expect((await cli(['quick-run', 'work.sh', ...where, 'python@1', '--watch'])).exitCode).toBe(3)
  expect(JSON.parse(submitted('quickRun'))).toMatchObject({ environment_version_id: 'ver_1' })
})

test('what cannot run is refused before anything is submitted', async () => {
  const where = ['--room', room, '--env']
  expect((await cli(['quick-run', '-', ...where, 'new'])).stderr).toContain('no version that is ready')
  expect((await cli(['quick-run', 'absent.sh', ...where, 'python'])).exitCode).toBe(2)
  expect((await cli(['quick-run', '-', ...where, 'python', '--input', '-'])).exitCode).toBe(2)
  expect(service.requests.map(({ route }) => route)).not.toContain('quickRun')
})

test('the versions of an environment are listed', async () => {
  expect((await cli(['env', 'versions', 'python'])).stdout).toMatch(
    /^1 +ver_1 +ready +standard +.*completed/m,
  )
})

test('a longer list than the service returns is refused, not cut', async () => {
  expect((await cli(['runs', '--room', room, '--limit', '101'])).exitCode).toBe(2)
  service.answers.listVisibleRuns = () => page()
  expect((await cli(['runs', '--room', room, '--limit', '100'])).exitCode).toBe(0)
})
