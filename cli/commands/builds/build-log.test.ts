import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string

const page = (items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })
const event = (id: number, document: unknown) => `id: ${id}\nevent: x\ndata: ${JSON.stringify(document)}\n\n`

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-build-log-'))
  Object.assign(service.answers, {
    listEnvironments: () => page([{ id: 'env_1', name: 'python', owner_kind: 'company' }]),
    listEnvironmentVersions: () => page([{ id: 'ver_1', last_build_attempt_id: 'bld_1' }]),
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

test('a log is followed to its end across broken connections, continuing where each broke', async () => {
  const parts = [
    `: connected\n\n${event(4, { kind: 'log', start: 0, text: 'one\n' })}`,
    event(8, { kind: 'log', start: 4, text: 'two\n' }) + event(8, { kind: 'end', status: 'completed' }),
  ]
  service.answers.followBuildLog = () => ({ bytes: parts.shift() ?? '' })
  const result = await runCli(['build', 'log', '-f', 'bld_1'], {
    home,
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })
  expect(result).toMatchObject({ exitCode: 0, stdout: 'one\ntwo\n', stderr: 'The build is completed.\n' })
  const asked = service.requests.filter(({ route }) => route === 'followBuildLog')
  expect(asked.map(({ query }) => query.get('start'))).toEqual(['0', '4'])
})
