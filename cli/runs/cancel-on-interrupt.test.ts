import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../testing/fake-service.ts'

const room = `roo_${'1'.repeat(32)}`
const run = {
  id: `run_${'2'.repeat(32)}`,
  chatroom_id: room,
  status: 'running',
  error_code: '',
  exit_code: null,
}
const quiet = { wait_reason: '', next_action: '', queue_position: null, eta_seconds: null, failure_hint: '' }
const running = { ...run, ...quiet, terminal_at: null }
const cancelled = {
  ...running,
  status: 'cancelled',
  error_code: 'cancelled',
  terminal_at: '2026-01-01T00:00:00Z',
}

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-interrupt-'))
  writeFileSync(join(home, 'input.json'), '{}')
  const item = { task_id: 'tsk_1', task_name: 'report', task_version_id: 'tvr_1' }
  service.answers.readMenu = () => ({ json: { items: [item], page_size: 100, next_page_token: null } })
  service.answers.submitRun = () => ({ json: running })
  service.answers.readRunRemarks = () => ({ json: { run_id: run.id, remarks: [] } })
  service.answers.readRunContent = () => ({ json: { has_output: false } })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

/** Watches a run, sends the signal when the run is first read, and again when the cancellation has arrived. */
function watch({ signals }: { signals: number }) {
  const child = spawn(
    resolve(import.meta.dirname, '../../sandbox'),
    ['run', 'report', '--room', room, '--input', 'input.json', '--watch'],
    {
      cwd: home,
      env: {
        PATH: '/usr/bin:/bin',
        SANDBOX_CLI_CONFIG: join(home, 'c.json'),
        SANDBOX_URL: service.url,
        SANDBOX_TOKEN: 'jwt',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let sent = 0
  const interrupt = (nth: number) => {
    if (sent !== nth || nth >= signals) return
    sent += 1
    child.kill('SIGINT')
  }
  let isCancelled = false
  const watched = () => {
    interrupt(0)
    if (isCancelled) interrupt(1)
    return { json: isCancelled && signals === 1 ? cancelled : running }
  }
  service.answers.readRun = watched
  service.answers.waitForRun = watched
  service.answers.cancelRun = () => {
    isCancelled = true
    return { json: running }
  }
  return Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)])
}

test('the first Ctrl-C cancels the run, which is watched to its end', async () => {
  const [[exitCode], said] = await watch({ signals: 1 })
  expect(exitCode).toBe(125)
  expect(said).toContain('Cancelling the run')
  expect(said).toContain('ended as cancelled')
  expect(service.requests.filter(({ route }) => route === 'cancelRun')).toHaveLength(1)
})

test('the second Ctrl-C quits without waiting', async () => {
  const [[exitCode]] = await watch({ signals: 2 })
  expect(exitCode).toBe(130)
})
