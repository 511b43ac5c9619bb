import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, minimalEnvironment, type OwnService, startService } from './service.ts'

let service: OwnService

beforeAll(async () => {
  service = await startService()
  await service.sandbox('operator', 'prices', 'apply', join(checkout, 'examples/prices.yaml'))
})
afterAll(() => service?.stop())

test('a job of one party uses the credential of another, writes a row, and everybody sees their part', async () => {
  const { url, user, password } = service
  const program = join(checkout, 'examples/run')
  const { stdout } = await promisify(execFile)(program, ['shared-credential', '--url', url, '--user', user], {
    env: { ...minimalEnvironment(), SANDBOX_PASSWORD: password },
  })
  const row = /^dan reads the row that it wrote: (?<values>.*)$/m.exec(stdout)?.groups?.values ?? '{}'
  expect(JSON.parse(row)).toEqual({
    article: 'A-17',
    price: 12.5,
    signature: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
  expect(stdout).toMatch(
    /the second task has completed: [{]"ordered":[{]"article":"A-17","price":12[.]5[}][}]/,
  )
  expect(stdout).toMatch(/what it cost: 1 run of front-desk, 0[.]0*[1-9][0-9]* USD/)
  expect(stdout).toMatch(/who did what: submitRun to queued, service to starting, .* to completed/)
})
