import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../testing/agent/test-agent.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await TestAgent.start()
})
afterAll(() => agent.dispose())

test('an image with names longer than a host path can be removed, and does not block later starts', async () => {
  const name = `${`${'d'.repeat(200)}/`.repeat(20)}f`
  const digest = await agent.image([[{ name }, 'x']])
  await agent.client.removeImage(digest)
  expect(await readdir(join(agent.dataDir, 'agent/images'))).toEqual([])
  await agent.end('SIGTERM')
  await agent.start()
  expect(await agent.client.hasImage(digest)).toBe(false)
})

test('an endless /etc/passwd in an image affects only its own run', async () => {
  const digest = await agent.image([[{ name: 'etc/passwd', type: 'symlink', linkname: '/dev/zero' }]])
  const { exit, log } = await agent.run(shellJob(digest, 'echo ran', { timeoutMs: 5000 }))
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
  expect(log).toBe('ran\n')
})
