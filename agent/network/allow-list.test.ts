import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeInternet, publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../testing/agent/internet/resolving-agent.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import type { AllowList } from '../port/allow-list.ts'
import { type SandboxRuntime, sandboxRuntimes } from '../port/sandbox-spec.ts'
import { networkNames } from './addresses.ts'

/* Destinations that a sandbox with an allow list of names and ranges reaches. */

let machineOfAgent: ResolvingAgent
let internet: FakeInternet
let agent: TestAgent
let image: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent(['10.9.9.9', '9.9.9.9', '9.9.9.10'])
  ;({ internet, agent } = machineOfAgent)
  image = await agent.image()
})
afterAll(() => machineOfAgent.dispose())

const held = (script: string, allow: Partial<AllowList>, runtime: SandboxRuntime = 'crun') => ({
  ...shellJob(image, script, { timeoutMs: 60_000, runtime }),
  network: { egressCapBytes: 1024 ** 3, allow: { names: [], ranges: [], ...allow } },
})

const hex4 = (address: string) => Buffer.from(address.split('.').map(Number)).toString('hex')
const eight = hex4(publicHosts.ip4)
const one = hex4(publicHosts.other4)
const six = '26064700470000000000000000001111'

/** Prints `reached` or `refused` for a host. */
const attempt = 'try() { echo | nc -w 2 $1 80 2>/dev/null | grep -q hello && echo reached || echo refused; };'
const attempts = (...hosts: string[]) => `${attempt} ${hosts.map((host) => `try ${host}`).join('; ')}`

async function outcomes(
  allow: Partial<AllowList>,
  hosts: string[],
  runtime?: SandboxRuntime,
): Promise<string[]> {
  const { log } = await agent.run(held(attempts(...hosts), allow, runtime))
  return log.trim().split('\n')
}

describe.each(sandboxRuntimes)('on %s', (runtime) => {
  test('an address is reachable after its listed name was resolved, and not before', async () => {
    const hosts = [publicHosts.ip4, `${eight}.test`, publicHosts.ip4, publicHosts.other4, `${one}.test`]
    expect(await outcomes({ names: [`${eight}.test`] }, hosts, runtime)).toEqual([
      ...['refused', 'reached', 'reached', 'refused', 'refused'],
    ])
  })

  test('an address in a listed range is reachable, no other', async () => {
    const ranges = ['9.9.9.8/31', '2606:4700::/32', '9.9.9.9/32']
    const hosts = ['9.9.9.9', '9.9.9.10', publicHosts.ip6, publicHosts.ip4]
    expect(await outcomes({ ranges }, hosts, runtime)).toEqual(['reached', 'refused', 'reached', 'refused'])
  })

  test('an empty list allows nothing', async () => {
    const hosts = [...Object.values(publicHosts), `${eight}.test`]
    expect(await outcomes({}, hosts, runtime)).toEqual(hosts.map(() => 'refused'))
  })
})

test('a wildcard matches every name below it, but not itself', async () => {
  const names = [`*.${eight}.test`, `*.below.${six}.test`]
  const hosts = [
    ...[`${eight}.test`, `a.${eight}.test`, `a.b.${eight}.test`, `A.${eight}.TEST`, `x${eight}.test`],
    ...[`a.below.${six}.test`, `below.${six}.test`, `a.${eight}.test.test`],
  ]
  expect(await outcomes({ names }, hosts)).toEqual([
    ...['refused', 'reached', 'reached', 'reached', 'refused'],
    ...['reached', 'refused', 'refused'],
  ])
})

test('a name that one sandbox resolved grants nothing to another, listed or not', async () => {
  await outcomes({ names: ['*.test'] }, [`${eight}.test`])
  expect(await outcomes({ names: ['*.test'] }, [publicHosts.ip4])).toEqual(['refused'])
  const unlisted = { ...shellJob(image, attempts(publicHosts.ip4)), network: { egressCapBytes: 1024 ** 3 } }
  expect((await agent.run(unlisted)).log).toBe('reached\n')
})

test('a listed name with an internal address resolves to nothing and grants nothing', async () => {
  internet.contacts.length = 0
  const inside = hex4('10.9.9.9')
  const hosts = [`${inside}.test`, `${eight}.${inside}.test`, '10.9.9.9', publicHosts.ip4]
  expect(await outcomes({ names: ['*.test'] }, hosts)).toEqual(hosts.map(() => 'refused'))
  expect(internet.contacts).toEqual([])
})

test('an alias of a listed name is followed, and a name that only looks listed is not', async () => {
  const names = [`via.${eight}.test`]
  const looks = String.raw`\000\043\022\064\001\000\000\001\000\000\000\000\000\000\014via.08080808\004test\000\000\001\000\001`
  const script = `${attempts(`via.${eight}.test`)}; printf '${looks}' | timeout 2 nc 198.18.0.1 53 | head -c 6 | tail -c 1 | hexdump -e '1/1 "%d"'`
  // 131: NXDOMAIN.
  expect((await agent.run(held(script, { names }))).log).toBe('reached\n131')
})

test('an invalid list starts nothing', async () => {
  const bad: Partial<AllowList>[] = [
    { ranges: ['10.0.0.0/8'] },
    { ranges: ['0.0.0.0/0'] },
    { ranges: ['8.8.8.8'] },
    { names: ['a b'] },
    { names: ['a,b.test'] },
    { names: ['127.1'] },
    { names: ['a\nserve'] },
    { names: Array.from({ length: 129 }, (_, at) => `n${at}.test`) },
  ]
  for (const allow of bad) {
    const start = agent.client.start(held('true', allow), noInput)
    await expect(start).rejects.toMatchObject({ slug: 'spec_invalid', message: /network.allow/ })
  }
})

test('the longest permitted list is enforced', async () => {
  const filler = Array.from({ length: 127 }, (_, at) => `${`${'x'.repeat(59)}.`.repeat(4)}n${at}.test`)
  const ranges = Array.from({ length: 128 }, (_, at) => `9.9.${at}.0/24`)
  expect(
    await outcomes({ names: [...filler, `${eight}.test`], ranges }, [`${eight}.test`, '9.9.9.9']),
  ).toEqual([...['reached', 'reached']])
})

async function resolverPid(): Promise<number> {
  const pids = await agent.onHost('sh', '-c', `pgrep -P ${agent.process?.pid} -x resolver || true`)
  return Number(pids.trim().split('\n')[0] || 0)
}

/** A job that waits between two parts while `between` runs; resolves with its log. */
async function inTwoParts(
  host: TestAgent,
  { first, second, allow }: { first: string; second: string; allow: Partial<AllowList> },
  between: (firstProcess: number) => Promise<void>,
): Promise<string> {
  const wait = 'touch /workspace/waiting; until [ -e /workspace/go ]; do sleep 0.05; done'
  const spec = {
    ...held(`${first}; ${wait}; ${second}`, allow),
    rootfs: { kind: 'image', digest: await host.image() } as const,
  }
  await host.client.start(spec, noInput)
  const pid = await host.firstProcess(spec.id)
  const workspace = `/proc/${pid}/root/workspace`
  await waitUntil(async () => (await host.onHost('ls', workspace)).includes('waiting'))
  await between(pid)
  await host.onHost('touch', `${workspace}/go`)
  await host.client.wait(spec.id)
  return (await text(await host.client.log(spec.id))).trim().replaceAll('\n', ' ')
}

test('a killed resolver is restarted with the lists', async () => {
  const both = attempts(`${one}.test`, `${eight}.test`)
  const script = { first: both, second: `${both}; ${both}`, allow: { names: [`${eight}.test`] } }
  const results = await inTwoParts(agent, script, async () => {
    const pid = await resolverPid()
    process.kill(pid, 'SIGKILL')
    await waitUntil(async () => ![0, pid].includes(await resolverPid()))
  })
  expect(results).toBe('refused reached refused reached refused reached')
})

test('a list is enforced while the agent is dead, and by the next agent', async () => {
  const host = await TestAgent.start({ SANDBOX_RUNTIME_EGRESS: 'true' }, { prefix: internet.onMachine })
  const hosts = ['9.9.9.9', publicHosts.ip4, publicHosts.ip6]
  const script = { first: 'true', second: attempts(...hosts), allow: { ranges: ['9.9.9.9/32'] } }
  const results = await inTwoParts(host, script, async (pid) => {
    await host.end('SIGKILL')
    const inside = [
      'nsenter',
      `--net=/proc/${pid}/ns/net`,
      'sh',
      '-c',
      attempts(...hosts).replace('nc', 'busybox nc'),
    ]
    expect(await host.onHost('env', ...inside)).toBe('reached\nrefused\nrefused\n')
    await host.start()
    // A successful first link proves that the router has its rules.
    await host.run({ ...shellJob(await host.image(), 'true'), network: { egressCapBytes: 1 } })
  })
  expect(results).toBe('reached refused refused')
  await host.dispose()
})

test('the list of a sandbox is removed with it', async () => {
  const { namespace } = networkNames(agent.dataDir)
  const router = `/proc/${agent.process?.pid}/root${namespace}`
  const rules = () =>
    agent.onHost('nsenter', `--net=${router}`, 'nft', 'list', 'table', 'inet', 'sandbox_jobs')
  const lists = /9\.9\.9\.0\/24|map list\w+ \{[^}]*elements/
  let seen = ''
  const script = { first: 'true', second: 'true', allow: { names: ['*.test'], ranges: ['9.9.9.0/24'] } }
  await inTwoParts(agent, script, async () => {
    seen = await rules()
  })
  expect(seen).toMatch(lists)
  await waitUntil(async () => !lists.test(await rules()))
})
