import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-env-usage-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const version = {
  ...{ environment_id: 'env_1', environment_name: 'report', version_id: 'ver_1', version_number: 3 },
  ...{ state: 'ready', image_bytes: 41_943_040, archive_bytes: 2048, kept_by: ['environment', 'tasks'] },
  ...{ tasks: ['daily', 'weekly'], removed_after: null },
}
const unused = {
  state: 'archived',
  kept_by: ['retention'],
  tasks: [],
  removed_after: '2026-12-24T00:00:00.000Z',
}

test('each version is shown with its bytes and what keeps them', async () => {
  service.answers.listKeptVersions = () => ({ json: { items: [version, { ...version, ...unused }] } })
  service.answers.readStorageUse = () => ({
    json: {
      ...{ company_id: 'co_1', kept_bytes: 9, limit_bytes: null },
      kinds: [
        { kind: 'cached_layers', bytes: 1024 },
        { kind: 'outputs', bytes: 8 },
      ],
    },
  })
  const { stdout } = await runCli(['env', 'usage'], {
    home,
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })
  expect(stdout).toMatch(/^cached layers +1\.0 KiB$/m)
  expect(stdout).not.toContain('outputs')
  expect(stdout).toMatch(/^report +3 +ready +40\.0 MiB +2\.0 KiB +the environment, tasks: daily, weekly$/m)
  expect(stdout).toMatch(/^report +3 +archived .* nothing, until 2026-12-24$/m)
})
