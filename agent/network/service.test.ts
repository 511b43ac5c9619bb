import { afterAll, beforeAll, expect, test } from 'vitest'
import { callbackAddress } from '../../server/base/config/service-settings.ts'
import { FakeInternet, machine, publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import type { SandboxNetwork } from '../port/sandbox-spec.ts'
import { serviceAddress } from '../port/service-address.ts'
import { networkNames, uplinkAddresses } from './addresses.ts'

/*
 * The service has a listener for callbacks on the loopback of the machine. A permitted sandbox reaches it and nothing else of the
 * host, such as the port of the API.
 */

const port = 443
let internet: FakeInternet
let agent: TestAgent
let image: string

beforeAll(async () => {
  internet = await FakeInternet.make()
  const settings = { SANDBOX_RUNTIME_EGRESS: 'false', SANDBOX_PORT: '80', SANDBOX_CALLBACK_PORT: `${port}` }
  agent = await TestAgent.start(settings, { prefix: internet.onMachine })
  image = await agent.image([])
})
afterAll(async () => {
  await agent.dispose()
  await internet.dispose()
})

const toServiceAlone = {
  egressCapBytes: 1024 ** 2,
  allow: { names: [], ranges: [] },
  service: true,
} satisfies SandboxNetwork

const uplink = () => uplinkAddresses(networkNames(agent.dataDir).uplink, []).host4
const service = `${serviceAddress.ip4} ${serviceAddress.port}`

/** Every other way to the machine, to other machines, and to the service by its real address. */
const shut = () => [
  `${serviceAddress.ip4} ${port}`,
  `${serviceAddress.ip4} 22`,
  `${uplink()} ${port}`,
  `${uplink()} 80`,
  `127.0.0.1 ${port}`,
  `${callbackAddress} ${port}`,
  `${machine.ip4} ${port}`,
  `${machine.private4} ${port}`,
  `${machine.private4} 80`,
  `${publicHosts.ip4} 80`,
  '198.18.0.3 80',
]

const attempts = (targets: string[]) =>
  targets
    .map(
      (target) =>
        `echo "${target}: $(echo hi | nc -w 3 ${target} 2>/dev/null | grep -q hello && echo reached || echo refused)"`,
    )
    .join('\n')

async function reached(network: SandboxNetwork, runtime: 'crun' | 'runsc' = 'crun'): Promise<string[]> {
  const script = attempts([service, ...shut()])
  const { log } = await agent.run({ ...shellJob(image, script, { timeoutMs: 60_000, runtime }), network })
  return [...log.matchAll(/^(.*): reached$/gm)].map(([, target = '']) => target)
}

test.each(['crun', 'runsc'] as const)(
  '%s: a permitted sandbox reaches the service alone, also where jobs have no network',
  async (runtime) => {
    expect(await reached(toServiceAlone, runtime)).toEqual([service])
    expect(internet.contacts).toEqual([])
  },
)

test('without the permission there is no way to it', async () => {
  await expect(
    reached({ egressCapBytes: 1024 ** 2, allow: { names: [], ranges: [] } }),
  ).rejects.toMatchObject({
    slug: 'network_off',
  })
  expect(await reached('none')).toEqual([])
})

test('the permission ends with the link', async () => {
  await reached(toServiceAlone)
  const { namespace } = networkNames(agent.dataDir)
  const list = [`--net=${namespace}`, 'nft', 'list', 'set', 'inet', 'sandbox_jobs', 'callers']
  // The rules change shortly after the sandbox is gone; its link is not used again.
  await waitUntil(async () => !(await agent.onHost('nsenter', ...list)).includes('elements'))
})
