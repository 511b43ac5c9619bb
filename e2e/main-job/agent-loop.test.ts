import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, minimalEnvironment, type Service } from './service.ts'
import { openService } from './shared-service.ts'

let service: Service

beforeAll(async () => {
  service = await openService()
})
afterAll(() => service?.stop())

test('the example agent asks for a job, commits it after the answer of its person, and reads the result', async () => {
  const { url, user, password } = service
  const program = join(checkout, 'examples/run')
  const { stdout } = await promisify(execFile)(
    program,
    ['agent-loop', '--url', url, '--user', user, '--room', 'daily-numbers'],
    { env: { ...minimalEnvironment(), SANDBOX_PASSWORD: password } },
  )
  const turns = stdout.split(`\n${user}: `)
  expect(turns).toHaveLength(3)
  expect(turns[1]).toMatch(
    /sandbox_job_menu.*"mode":"request".*"customer":"Example Ltd"}\s+Shall I run it\?/s,
  )
  expect(turns[1]).not.toMatch(/commit|sandbox_job_status/)
  expect(turns[2]).toMatch(/"mode":"commit".*sandbox_job_status.*The job is completed.*"sent":true/s)
})
