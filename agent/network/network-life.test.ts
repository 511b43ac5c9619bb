import { spawn } from 'node:child_process'
import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { FakeInternet, publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { networkNames } from './addresses.ts'
import { hasNamespace, removeNamespace } from './router-namespace.ts'

/* Links, rules and names when a tool is missing or a process dies. */

let internet: FakeInternet
const settings = { SANDBOX_RUNTIME_EGRESS: 'true' }

beforeAll(async () => {
  internet = await FakeInternet.make()
})
afterAll(() => internet.dispose())

const online = (image: string, script: string) => ({
  ...shellJob(image, script),
  network: { egressCapBytes: 1024 ** 3 },
})

/** Residue of the agent's network on the machine: namespace, device, table. */
async function leftOf(agent: TestAgent): Promise<string[]> {
  const names = networkNames(agent.dataDir)
  const seen = await Promise.all([
    internet.machineRun('ip', '-br', 'link'),
    internet.machineRun('nft', 'list', 'tables'),
    hasNamespace(names.namespace).then((is) => (is ? names.namespace : '')),
  ])
  return Object.values(names).filter((name) => seen.join(' ').includes(name))
}

/** Runs the agent with a tool of the host replaced by another program, and returns how a start fails. */
async function startWithout(tool: string, replacement: string): Promise<{ slug: string; message: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tool-'))
  await writeFile(join(folder, 'tool'), replacement, { mode: 0o755 })
  const mounted = ['unshare', '-m', 'sh', '-c', `mount --bind ${folder}/tool ${tool}; exec "$@"`, 'sh']
  const agent = await TestAgent.start(settings, { prefix: [...internet.onMachine, ...mounted] })
  try {
    const image = await agent.image()
    const refused = await agent.client.start(online(image, 'true'), noInput).then(
      () => ({ slug: 'started', message: '' }),
      (error: { slug: string; message: string }) => error,
    )
    const links = await internet.machineRun('ip', '-br', 'link')
    expect(links).not.toMatch(/sbj-\S+\s+UP/)
    // Sandboxes without a network run normally.
    expect((await agent.run(shellJob(image, 'echo fine'))).log).toBe('fine\n')
    return refused
  } finally {
    await agent.dispose()
    // The agent cannot remove its network without the tool. Other agents on this machine have their own.
    await removeNamespace(networkNames(agent.dataDir).namespace)
    await rm(folder, { recursive: true })
  }
}

test('if rules cannot be loaded no sandbox with a network starts, and the refusal has the reason', async () => {
  expect(await startWithout('/usr/sbin/nft', '#!/bin/sh\necho "no such table" >&2; exit 1\n')).toMatchObject({
    slug: 'network_rules',
    message: expect.stringContaining('no such table'),
  })
})

test('if the rule loader is killed no sandbox with a network starts', async () => {
  expect(await startWithout('/usr/sbin/nft', '#!/bin/sh\nkill -9 $$\n')).toMatchObject({
    slug: 'network_rules',
    message: expect.stringContaining('killed'),
  })
})

test('if a tool is missing the refusal says what to install', async () => {
  expect(await startWithout('/usr/sbin/nft', 'not a program')).toMatchObject({
    slug: 'network_rules',
    message: expect.stringContaining('apt-get install nftables'),
  })
})

test('a host with the network switched off refuses a sandbox with a network', async () => {
  const agent = await TestAgent.start({}, { prefix: internet.onMachine })
  const start = agent.client.start(online(await agent.image(), 'true'), noInput)
  await expect(start).rejects.toMatchObject({ slug: 'network_off' })
  expect(await leftOf(agent)).toEqual([])
  await agent.dispose()
})

test('a link outlives its agent, and no residue is left when the next agent has stopped', async () => {
  const agent = await TestAgent.start(settings, { prefix: internet.onMachine })
  const image = await agent.image()
  const say = `echo hi | nc -w 3 ${publicHosts.ip4} 80`
  const spec = online(
    image,
    `${say}; until [ -e /tmp/go ]; do sleep 0.1; [ $((n=n+1)) -gt 30 ] && break; done; ${say}`,
  )
  await agent.client.start(spec, noInput)
  await agent.end('SIGKILL')
  expect(await leftOf(agent)).toHaveLength(3)
  await agent.start()
  // The new agent has loaded its rules without affecting the link in use.
  expect((await agent.run(online(image, say))).log).toContain('hello')
  await agent.client.wait(spec.id)
  const log = await agent.run(online(image, say))
  expect(log.log).toContain('hello')
  const exit = await agent.client.wait(spec.id)
  expect(exit.network.egressBytes).toBeGreaterThan(0)
  expect(internet.contacts.filter((contact) => contact === `tcp 80 ${publicHosts.ip4}`)).toHaveLength(4)
  await agent.dispose()
  expect(await leftOf(agent)).toEqual([])
})

test('a router that was mounted only for the agent before is replaced', async () => {
  const agent = await TestAgent.start(settings, { prefix: [...internet.onMachine, 'unshare', '-m'] })
  const image = await agent.image()
  const say = `echo hi | nc -w 3 ${publicHosts.ip4} 80`
  expect((await agent.run(online(image, say))).log).toContain('hello')
  const maker = (await agent.onHost('pgrep', '-P', String(agent.process?.pid), '-x', 'links')).trim()
  // Keeps the namespace, and with it the uplink on the host, alive.
  const holder = spawn('nsenter', [`--net=/proc/${maker}/ns/net`, 'sleep', '60'])
  onTestFinished(() => void holder.kill('SIGKILL'))
  await waitUntil(
    async () => (await readlink(`/proc/${holder.pid}/ns/net`)) === (await readlink(`/proc/${maker}/ns/net`)),
  )
  await agent.end('SIGKILL')
  expect(await leftOf(agent)).toContain(networkNames(agent.dataDir).uplink)
  await agent.start()
  expect((await agent.run(online(image, say))).log).toContain('hello')
  await agent.dispose()
  expect(await leftOf(agent)).toEqual([])
})

test('a router is removed although its agent has another mount of the folder /run', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'run-'))
  const agent = await TestAgent.start(settings, { prefix: [...internet.onMachine, 'unshare', '-m'] })
  await agent.run(online(await agent.image(), 'true'))
  const bind = `mount --rbind /run ${elsewhere} && mount --make-rprivate ${elsewhere}`
  await agent.onHost('nsenter', `--mount=/proc/${agent.process?.pid}/ns/mnt`, 'sh', '-c', bind)
  await agent.dispose()
  expect(await leftOf(agent)).toEqual([])
  await rm(elsewhere, { recursive: true })
})

test('connections that a sandbox left are deleted from the tables of router and host', async () => {
  const agent = await TestAgent.start(settings, { prefix: internet.onMachine })
  const image = await agent.image()
  const { namespace } = networkNames(agent.dataDir)
  const table = ['cat', '/proc/net/nf_conntrack'] as const
  const targets = [`dst=${publicHosts.other4} `, 'dst=2606:4700:4700:0000:0000:0000:0000:1111 ']
  const left = async () => {
    const router = await agent.onHost('nsenter', `--net=${namespace}`, ...table)
    const host = await internet.machineRun(...table)
    return [router, host].flatMap((text) => targets.filter((target) => text.includes(target)))
  }
  const say = [publicHosts.other4, publicHosts.ip6].map((address) => `echo hi | nc -w 3 ${address} 80`)
  await agent.run(online(image, say.join('; ')))
  expect(await left()).toEqual([...targets, ...targets])
  await waitUntil(async () => (await left()).length === 0)
  await agent.dispose()
})

test('unused links disappear with an agent that is killed', async () => {
  const agent = await TestAgent.start(settings, { prefix: internet.onMachine })
  const image = await agent.image()
  await agent.run(online(image, 'true'))
  const { namespace } = networkNames(agent.dataDir)
  const links = async () =>
    (await agent.onHost('nsenter', `--net=${namespace}`, 'ip', '-br', 'link'))
      .split('\n')
      .filter((line) => line.startsWith('r')).length
  await waitUntil(async () => (await links()) >= 8)
  await agent.end('SIGKILL')
  await waitUntil(async () => (await links()) === 0)
  await agent.start()
  expect((await agent.run(online(image, `echo hi | nc -w 3 ${publicHosts.ip4} 80`))).log).toContain('hello')
  await agent.dispose()
  expect(await leftOf(agent)).toEqual([])
})

test('the link maker may die: the next start has a new one', async () => {
  const agent = await TestAgent.start(settings, { prefix: internet.onMachine })
  const image = await agent.image()
  await agent.run(online(image, 'true'))
  const makers = await agent.onHost('pgrep', '-P', String(agent.process?.pid), '-x', 'links')
  process.kill(Number(makers.trim()), 'SIGKILL')
  const say = `echo hi | nc -w 3 ${publicHosts.ip4} 80`
  await waitUntil(async () => {
    const { exit, log } = await agent.run(online(image, say)).catch(() => ({ exit: undefined, log: '' }))
    // A link of the dead maker is invalid: its sandbox does not start.
    expect(exit === undefined || log.includes('hello') || exit.detail === 'network_gone').toBe(true)
    return log.includes('hello')
  })
  await agent.dispose()
})
