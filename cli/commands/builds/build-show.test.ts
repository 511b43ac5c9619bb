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
  home = mkdtempSync(join(tmpdir(), 'cli-build-show-'))
  Object.assign(service.answers, {
    listEnvironments: () => page([{ id: 'env_1', name: 'python', owner_kind: 'company' }]),
    listEnvironmentVersions: () => page([{ id: 'ver_1', last_build_attempt_id: 'bld_2' }]),
    listBuilds: () => page([{ id: 'bld_2' }, { id: 'bld_1' }]),
    readBuild: ({ params }) => ({ json: { ...build, id: params.aid } }),
    readBuildDetails: () => ({ json: details }),
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const build = {
  attempt_number: 1,
  environment_version_id: 'ver_1',
  status: 'customer_failed',
  error_code: 'dockerfile_exit',
  error_detail: 'line_3',
  next_action: 'Correct it.',
}
const details = {
  queued_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:02.000Z',
  stages: [
    { stage: 'context_validator', outcome: 'completed', started_at: 'T1', duration_ms: 1200, passes: 2 },
    { stage: 'customer_build', outcome: 'failed', started_at: 'T2', duration_ms: 3000, passes: 1 },
  ],
  failed_instruction: { line: 3, stage: 1, stage_name: 'base', text: 'RUN echo \u001b[31mred' },
  network: {
    ingress_bytes: 2048,
    egress_bytes: 10,
    reached: [
      { name: 'packages.test', address: '8.8.8.8', protocol: 'tcp', port: 443 },
      { name: 'packages.test', address: '8.8.4.4', protocol: 'tcp', port: 443 },
      { name: '', address: '1.1.1.1', protocol: 'udp', port: 443 },
    ],
    more: 2,
    complete: false,
  },
}

test('the latest build of a version is found by ENVIRONMENT@VERSION', async () => {
  const version = { id: 'ver_1', environment_id: 'env_1', version_number: 3, last_build_attempt_id: 'bld_2' }
  service.answers.listEnvironmentVersions = () => page([version])
  const options = { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } }
  const { exitCode, stdout } = await runCli(['build', 'show', 'python@3'], options)
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'build    bld_2, attempt 1 of ver_1'])
  expect((await runCli(['build', 'show', 'python@4'], options)).exitCode).not.toBe(0)
})

test('an earlier build is found by its id, and shown with its stages and the failed line', async () => {
  const { exitCode, stdout } = await runCli(['build', 'show', 'bld_1'], {
    home,
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('build    bld_1, attempt 1 of ver_1\n')
  expect(stdout).toContain('status   customer_failed: dockerfile_exit line_3\n')
  expect(stdout).toContain('(waited 2.0 s)\n')
  expect(stdout).toContain('failed   Dockerfile:3 (stage base): RUN echo \\x1b[31mred\n')
  expect(stdout).toContain(`network  2.0 KiB received, 10 B sent
         packages.test, tcp port 443
         1.1.1.1, udp port 443
         and 2 more connections
         perhaps more: the resolver was restarted
`)
  expect(stdout).toMatch(/context_validator +completed +T1 +1\.2 s +2\ncustomer_build +failed +T2 +3\.0 s\n$/)
})
