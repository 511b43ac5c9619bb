import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeInternet } from '../../testing/agent/internet/fake-internet.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { networkNames } from './addresses.ts'

let internet: FakeInternet
let agent: TestAgent

beforeAll(async () => {
  internet = await FakeInternet.make()
  const settings = { SANDBOX_RUNTIME_EGRESS: 'true', SANDBOX_REGISTRY: 'registry.invalid' }
  agent = await TestAgent.start(settings, { prefix: internet.onMachine })
})
afterAll(async () => {
  await agent.dispose()
  await internet.dispose()
})

test('a pull from a registry without an address leaves no rule that would have to be removed', async () => {
  let logged = ''
  agent.process?.stdout?.on('data', (chunk: Buffer) => (logged += chunk)).resume()
  const egressCapBytes = 1024 ** 2
  const pull = {
    ...shellJob('', 'true'),
    rootfs: { kind: 'builder' as const },
    network: { egressCapBytes, registry: true as const },
  }
  await expect(agent.run(pull)).rejects.toMatchObject({ slug: 'registry_unknown' })
  const allow = { names: ['example.org'], ranges: [] }
  await agent.run({ ...shellJob(await agent.image(), 'true'), network: { egressCapBytes, allow } })
  // The rules of both links are removed in order.
  const list = [
    `--net=${networkNames(agent.dataDir).namespace}`,
    ...'nft list map inet sandbox_jobs listed'.split(' '),
  ]
  await waitUntil(async () => !(await agent.onHost('nsenter', ...list)).includes('elements'))
  expect(logged).not.toContain('network_rules')
})
