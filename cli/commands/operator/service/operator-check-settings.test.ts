import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { machineCommand } from '../../../testing/run-cli.ts'

const check = (settings: Record<string, string>) =>
  spawnSync(machineCommand, ['operator', 'check-settings'], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: '/nonexistent/sandbox-jobs', ...settings },
    encoding: 'utf8',
  })

test('sandbox operator check-settings exits with 2 for a problem, and with 0 for a warning', () => {
  const wrong = check({ SANDBOX_PORT: 'http' })
  expect([wrong.status, wrong.stdout]).toEqual([2, expect.stringContaining('problem: SANDBOX_PORT must be')])
  const odd = check({ SANDBOX_MAIL_FROM: 'jobs@example.org' })
  expect([odd.status, odd.stdout]).toEqual([0, expect.stringContaining('warning: SANDBOX_MAIL_FROM')])
})
