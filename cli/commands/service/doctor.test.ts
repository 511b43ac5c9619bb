import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { machineCommand } from '../../testing/run-cli.ts'

const base = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: '/nonexistent/sandbox-jobs' }

test('sandbox doctor prints every check as one JSON document', () => {
  const { checks } = JSON.parse(
    execFileSync(machineCommand, ['doctor', '--json'], { env: base, encoding: 'utf8' }),
  )
  const names = checks.map((check: { name: string }) => check.name)
  for (const name of ['root', 'node', 'service users', 'postgres', 'port', 'memory', 'disk']) {
    expect(names).toContain(name)
  }
})

test('sandbox doctor fails when something needed is missing, and says what to do', () => {
  const env = { ...base, SANDBOX_SERVICE_USER: 'nobody-by-that-name' }
  const { status, stdout } = spawnSync(machineCommand, ['doctor'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stdout).toMatch(
    /service users +MISSING none, or root: nobody-by-that-name-api, .*\n +→ run install\/service-user\.sh/,
  )
})

test('an invalid command line exits with 2', () => {
  const { status, stderr } = spawnSync(machineCommand, ['up', '--rol', 'api'], {
    env: base,
    encoding: 'utf8',
  })
  expect(status).toBe(2)
  expect(stderr).toContain('--role')
})
