import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../testing/agent/internet/resolving-agent.ts'
import { shellJob, type TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { linkBuilder } from '../../testing/agent/test-builder.ts'
import type { SandboxNetwork, SandboxSpec } from '../port/sandbox-spec.ts'
import { networkNames } from './addresses.ts'

/* Reports of what the sandbox of a build connected to. */

let machineOfAgent: ResolvingAgent
let agent: TestAgent

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent(['10.9.9.9'])
  ;({ agent } = machineOfAgent)
  await linkBuilder(agent)
})
afterAll(() => machineOfAgent.dispose())

const network = { egressCapBytes: 1024 ** 3, recorded: true } satisfies SandboxNetwork

const builder = (script: string): SandboxSpec => ({
  ...shellJob('', '', { timeoutMs: 60_000 }),
  rootfs: { kind: 'builder' },
  confinement: 'build',
  argv: ['/bin/bash', '-c', script],
  network,
})

const reachedBy = async (script: string) => (await agent.run(builder(script))).exit.network
const connect = (host: string, port = 80) => `(exec 3<>/dev/tcp/${host}/${port}) 2>/dev/null; `
const resolvers = (namespace: string) => agent.onHost('pgrep', '-f', `resolver ${namespace} `)

test('targets are reported once each, with the name that was resolved, and refused ones are not', async () => {
  const name = '08080808.test'
  const script = [
    connect(name),
    connect(name),
    connect(publicHosts.ip4, 443),
    connect(publicHosts.other4),
    connect(publicHosts.ip6),
    connect('10.9.9.9'),
    `echo x >/dev/udp/${publicHosts.other4}/443; getent hosts unused.01010101.test >/dev/null`,
  ].join(' ')
  const { reached, refused } = await reachedBy(script)
  const tcp = { protocol: 'tcp', name: '' }
  expect(reached).toEqual({
    entries: [
      { ...tcp, name, address: publicHosts.ip4, port: 80 },
      { ...tcp, name, address: publicHosts.ip4, port: 443 },
      { ...tcp, name: 'unused.01010101.test', address: publicHosts.other4, port: 80 },
      { ...tcp, address: publicHosts.ip6, port: 80 },
      { name: 'unused.01010101.test', address: publicHosts.other4, protocol: 'udp', port: 443 },
    ],
    more: 0,
    isComplete: true,
  })
  expect(refused?.entries).toMatchObject([{ address: '10.9.9.9' }])
})

test('a sandbox that connects to nothing reached nothing', async () => {
  expect((await reachedBy('true')).reached).toEqual({ entries: [], more: 0, isComplete: true })
})

test('of many targets each is counted or refused', async () => {
  // Without a process for each: the rate of a slow machine would stay below the bound.
  const scan = (ports: string) =>
    `for port in $(seq ${ports}); do true 2>/dev/null 3<>/dev/tcp/${publicHosts.ip4}/$port; done`
  // A fast machine has none but refusals after the first 200, until a second has passed.
  const { reached, refused } = await reachedBy(`${scan('1000 1999')}; sleep 1; ${scan('2000 2019')}`)
  expect(reached?.entries).toHaveLength(200)
  expect(reached?.more).toBeGreaterThan(0)
  expect(refused?.entries).toContainEqual(expect.objectContaining({ reason: 'too_many_connections' }))
})

test('a report says that it is not complete when the resolver was restarted', async () => {
  const { namespace } = networkNames(agent.dataDir)
  const spec = builder(`${connect(publicHosts.ip4)} echo connected; read; ${connect(publicHosts.other4)}`)
  const before = await resolvers(namespace)
  process.kill(Number(before.trim()), 'SIGKILL')
  await waitUntil(async () => ![before, ''].includes(await resolvers(namespace).catch(() => '')))
  expect((await agent.run(spec, '\n')).exit.network.reached).toMatchObject({ isComplete: true })
  const late = builder(`${connect(publicHosts.ip4)} sleep 3; ${connect(publicHosts.other4)}`)
  const running = agent.run(late)
  await agent.running(late.id)
  process.kill(Number((await resolvers(namespace)).trim()), 'SIGKILL')
  expect((await running).exit.network.reached).toMatchObject({ isComplete: false })
})

test('only builds are recorded', async () => {
  const job = { ...shellJob(await agent.image(), 'true'), network }
  await expect(agent.run(job)).rejects.toMatchObject({ slug: 'spec_invalid' })
})
