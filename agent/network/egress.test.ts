import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { specialRanges4, specialRanges6 } from '../../server/base/addresses/special-ranges.ts'
import { FakeInternet, machine, publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { type SandboxRuntime, sandboxRuntimes } from '../port/sandbox-spec.ts'
import { linkAddresses } from './addresses.ts'

/** One address of each special range that the test machine can route to. The others cannot be assigned. */
const routed4 =
  `10.9.9.9 100.64.9.9 100.100.100.200 168.63.129.16 169.254.169.254 172.16.9.9 192.0.0.192 192.0.2.9
  192.31.196.9 192.52.193.9 192.88.99.9 192.168.9.9 192.175.48.9 198.18.9.9 198.19.250.9 198.51.100.9
  203.0.113.9`.split(/\s+/)
const routed6 = `64:ff9b::a09:909 64:ff9b:1::a09:909 100::9 2001::9 2001:0:a09:909::f6f6:f6f6 2001:db8::9
  2002:a09:909::9 2620:4f:8000::9 3fff::9 5f00::9 fc00::9 fd00:ec2::254 fd20:ce::254`.split(/\s+/)
const unrouted4 = [
  '0.0.0.0',
  '0.9.9.9',
  '127.0.0.53',
  '224.0.0.251',
  '239.9.9.9',
  '240.9.9.9',
  '255.255.255.255',
]
const unrouted6 = [
  '::',
  '::1',
  '::ffff:10.9.9.9',
  '::ffff:a9fe:a9fe',
  '::10.9.9.9',
  'fe80::9',
  'fec0::9',
  'ff02::fb',
]
/** Other ways to write 10.9.9.9 and 169.254.169.254 that programs accept. */
const spellings = [
  '0xa.9.9.9',
  '012.9.9.9',
  '10.591113',
  '168364297',
  '0x0a090909',
  '2852039166',
  '0251.0376.0251.0376',
]

let internet: FakeInternet
let agent: TestAgent
/** The program that sends datagrams, and an image that holds it. */
let datagram: string
let image: string

beforeAll(async () => {
  internet = await FakeInternet.make([...routed4, ...routed6])
  agent = await TestAgent.start({ SANDBOX_RUNTIME_EGRESS: 'true' }, { prefix: internet.onMachine })
  datagram = join(await mkdtemp(join(tmpdir(), 'datagram-')), 'datagram')
  await agent.onHost(
    'cc',
    '-static',
    '-o',
    datagram,
    join(import.meta.dirname, '../../testing/agent/internet/datagram.c'),
  )
  image = await agent.image([[{ name: 'datagram', mode: 0o755 }, await readFile(datagram)]])
})
afterAll(async () => {
  await agent.dispose()
  await internet.dispose()
  await rm(join(datagram, '..'), { recursive: true })
})

const online = (script: string, runtime: SandboxRuntime = 'crun', egressCapBytes = 1024 ** 3) => ({
  ...shellJob(image, script, { timeoutMs: 240_000, runtime }),
  network: { egressCapBytes },
})

/** Prints for each address whether its greeting arrived. */
const attempt =
  'attempt() { echo | nc -w 2 "$@" 2>/dev/null | grep -q hello && echo "$1 reached" || echo "$1 refused"; }'
const attempts = (addresses: string[], port = 80) =>
  `${attempt}; ${addresses.map((address) => `attempt ${address} ${port}`).join('; ')}`
const results = (addresses: string[], what: 'reached' | 'refused') =>
  `${addresses.map((address) => `${address} ${what}\n`).join('')}`

async function outcomes(script: string, runtime?: SandboxRuntime): Promise<string> {
  return (await agent.run(online(script, runtime))).log
}

const MiB = 1024 * 1024
/** gVisor is slow on a busy machine. */
const volumeMiB: Record<SandboxRuntime, number> = { crun: 50, launcher: 50, runsc: 20 }

async function receive(address: string, runtime: SandboxRuntime): Promise<number> {
  const volume = volumeMiB[runtime] * MiB
  const { exit, log } = await agent.run(
    online(`echo send ${volume} | nc -w 20 ${address} 80 | wc -c`, runtime),
  )
  expect(log).toBe(`${volume}\n`)
  return exit.network.ingressBytes / volume
}

async function send(address: string, runtime: SandboxRuntime): Promise<number> {
  const count = volumeMiB[runtime]
  const script = `{ echo take; dd if=/dev/zero bs=1M count=${count} 2>/dev/null; } | nc -w 20 ${address} 443`
  return (await agent.run(online(script, runtime))).exit.network.egressBytes / (count * MiB)
}

/** On a busy machine lost packets are sent, and counted, twice: the smallest of a few transfers has the fewest. */
async function leastOf(transfer: () => Promise<number>): Promise<number> {
  const shares: number[] = []
  do shares.push(await transfer())
  while (Math.min(...shares) > 1.01 && shares.length < 4)
  return Math.min(...shares)
}

describe.each(sandboxRuntimes)('on %s', (runtime) => {
  test('a job reaches public addresses over TCP and UDP, in both families', async () => {
    const addresses = Object.values(publicHosts)
    internet.contacts.length = 0
    expect(await outcomes(attempts(addresses), runtime)).toBe(results(addresses, 'reached'))
    await outcomes(
      `/datagram by-ip4 443 - ${publicHosts.ip4}; /datagram by-ip6 443 - ${publicHosts.ip6}`,
      runtime,
    )
    await waitUntil(
      async () => internet.contacts.filter((contact) => /udp 443 by-ip[46]/.test(contact)).length === 2,
    )
  })

  test('a job without rights serves at a port below 1024', async () => {
    const script = 'nc -l -p 80 -e echo served & sleep 0.2; nc -w 2 127.0.0.1 80 </dev/null'
    const { log } = await agent.run({ ...online(script, runtime), user: { uid: 1000, gid: 1000 } })
    expect(log).toBe('served\n')
  })

  test('a job reaches no special range, in any spelling', async () => {
    const addresses = [...routed4, ...routed6, ...unrouted4, ...unrouted6, ...spellings]
    // The addresses are reachable in principle: the machine itself reaches them.
    for (const address of ['10.9.9.9', '169.254.169.254', 'fd00:ec2::254', '64:ff9b::a09:909']) {
      expect(await internet.machineRun('sh', '-c', `echo | busybox nc -w 2 ${address} 80`)).toContain('hello')
    }
    internet.contacts.length = 0
    expect(await outcomes(attempts(addresses), runtime)).toBe(results(addresses, 'refused'))
    await outcomes(`/datagram x 443 - ${addresses.join(' ')}; sleep 0.5`, runtime)
    expect(internet.contacts).toEqual([])
    console.log(
      `${addresses.length} special addresses tried over TCP and UDP, ${internet.contacts.length} reached`,
    )
  })

  test('a job reaches no address of the host', async () => {
    const addresses = [machine.ip4, machine.ip6, machine.private4, '198.18.0.1', ...(await uplinkOfHost())]
    expect(await outcomes(attempts(addresses), runtime)).toBe(results(addresses, 'refused'))
    expect(internet.machineContacts).toEqual([])
  })

  test('a job reaches no other resolver', async () => {
    expect(await outcomes(attempts(Object.values(publicHosts), 53), runtime)).toBe(
      results(Object.values(publicHosts), 'refused'),
    )
    await outcomes(`/datagram to-port-53 53 - ${publicHosts.ip4} ${publicHosts.ip6}; sleep 0.5`, runtime)
    expect(internet.contacts).not.toContain('udp 53 to-port-53')
  })

  test('a job cannot change its link', async () => {
    const commands = [
      'ip link set eth0 down',
      'ip address add 198.18.0.77/32 dev eth0',
      'ip route add 10.0.0.0/8 dev eth0',
      'sh -c "echo 1 >/proc/sys/net/ipv4/ip_forward"',
      'ping -c 1 -W 1 8.8.8.8',
      'nsenter -t 1 -n true',
    ]
    const script = commands
      .map((command) => `${command} >/dev/null 2>&1 && echo changed || echo refused`)
      .join('; ')
    expect(await outcomes(script, runtime)).toBe('refused\n'.repeat(commands.length))
  })

  test('bytes received and sent by a job are measured within 1%', async () => {
    const shares: number[] = []
    for (const address of [publicHosts.ip4, publicHosts.ip6]) {
      shares.push(await leastOf(() => receive(address, runtime)), await leastOf(() => send(address, runtime)))
    }
    console.log(
      `${volumeMiB[runtime]} MiB received and sent, IPv4 and IPv6: measured ${shares.map((share) => share.toFixed(4)).join(' ')}`,
    )
    for (const share of shares) expect(Math.abs(share - 1)).toBeLessThan(0.01)
  })

  test('a job that does not use the network has sent nothing', async () => {
    // One of them has a new link, over which the kernel itself sends packets after a while.
    const jobs = await Promise.all(Array.from({ length: 10 }, () => agent.run(online('sleep 3', runtime))))
    expect(jobs.map(({ exit }) => exit.network.egressBytes)).toEqual(Array(10).fill(0))
  })

  test('a job that sends more than its cap ends', async () => {
    const endless = `{ echo take; cat /dev/zero; } | nc ${publicHosts.ip4} 80; sleep 100`
    const { exit } = await agent.run(online(endless, runtime, 20 * MiB))
    expect(exit).toMatchObject({ cause: 'egress_cap', exitCode: null })
    expect(exit.network.egressBytes).toBeGreaterThan(20 * MiB)
    console.log(`cap 20 MiB: ended at ${(exit.network.egressBytes / MiB).toFixed(1)} MiB`)
  })

  test('a job that receives more than its cap ends', async () => {
    const endless = `echo send ${200 * MiB} | nc ${publicHosts.ip4} 80 > /dev/null; sleep 100`
    const job = online(endless, runtime)
    const { exit } = await agent.run({ ...job, network: { ...job.network, ingressCapBytes: 20 * MiB } })
    expect(exit).toMatchObject({ cause: 'egress_cap', exitCode: null })
    expect(exit.network.ingressBytes).toBeGreaterThan(20 * MiB)
    expect(exit.network.egressBytes).toBeLessThan(20 * MiB)
    const free = await agent.run(
      online(`echo send ${30 * MiB} | nc -w 2 ${publicHosts.ip4} 80 > /dev/null`, runtime),
    )
    expect(free.exit).toMatchObject({ cause: 'exited', exitCode: 0 })
    console.log(`cap 20 MiB: ended at ${(exit.network.ingressBytes / MiB).toFixed(1)} MiB received`)
  })

  test('a job that exits after exceeding its cap has not completed', async () => {
    const { exit } = await agent.run(online(`echo hi | nc -w 2 ${publicHosts.ip4} 80`, runtime, 10))
    expect(exit.cause).toBe('egress_cap')
  })
})

test('a job reaches no address that the host gets later', async () => {
  expect(await outcomes(attempts([publicHosts.ip4]))).toBe(results([publicHosts.ip4], 'reached'))
  await internet.machineRun('ip', 'address', 'add', '203.0.114.77/24', 'dev', 'way-out')
  expect(await outcomes(attempts(['203.0.114.77']))).toBe(results(['203.0.114.77'], 'refused'))
  expect(internet.machineContacts).toEqual([])
})

test('every special range has an address among those tested', () => {
  const all = [...routed4, ...unrouted4].map((address) => ['ipv4', address] as const)
  const all6 = [...routed6, ...unrouted6].map((address) => ['ipv6', address] as const)
  for (const { range } of [...specialRanges4, ...specialRanges6]) {
    const [net = '', bits] = range.split('/')
    const family = net.includes(':') ? 'ipv6' : 'ipv4'
    const one = new BlockList()
    one.addSubnet(net, Number(bits), family)
    expect(
      [...all, ...all6].some(([kind, address]) => kind === family && one.check(address, kind)),
      range,
    ).toBe(true)
  }
})

test('a job reaches no address of the host when somebody has flushed the host’s rules', async () => {
  const rules = await internet.machineRun('nft', 'list', 'ruleset')
  await internet.machineRun('nft', 'flush', 'ruleset')
  const addresses = [machine.ip4, machine.ip6, machine.private4, '203.0.114.77']
  expect(await outcomes(attempts(addresses))).toBe(results(addresses, 'refused'))
  expect(internet.machineContacts).toEqual([])
  await internet.machineRun('sh', '-c', `nft -f - <<'END'\n${rules}\nEND`)
  expect(await outcomes(attempts([publicHosts.ip4]))).toBe(results([publicHosts.ip4], 'reached'))
})

async function uplinkOfHost(): Promise<string[]> {
  const text = await internet.machineRun('ip', '-br', 'address')
  const line = text.split('\n').find((row) => row.startsWith('sbj-')) ?? ''
  return [...line.matchAll(/(\S+)\/\d+/g)].map(([, address = '']) => address)
}

/** A job that keeps running, with its addresses and its network namespace. */
async function lasting(script: string): Promise<{ id: string; ip4: string; ip6: string; netns: string }> {
  const spec = online(script)
  await agent.client.start(spec, noInput)
  const netns = `/proc/${await agent.firstProcess(spec.id)}/ns/net`
  const addresses = await agent.onHost(
    'nsenter',
    `--net=${netns}`,
    'ip',
    '-4',
    '-br',
    'address',
    'show',
    'eth0',
  )
  const ip4 = /198\.18\.(\d+)\.(\d+)/.exec(addresses)
  const index = Number(ip4?.[1]) * 256 + Number(ip4?.[2])
  return { id: spec.id, netns, ...linkAddresses(index) }
}

test('a job reaches no other job', async () => {
  const other = await lasting('while true; do echo hello | nc -l -p 8080; done')
  const addresses = [other.ip4, other.ip6]
  expect(await outcomes(attempts(addresses, 8080))).toBe(results(addresses, 'refused'))
  // The listener works from inside its own sandbox.
  const own = await agent.onHost(
    'nsenter',
    `--net=${other.netns}`,
    'sh',
    '-c',
    `echo | busybox nc -w 2 ${other.ip4} 8080`,
  )
  expect(own).toContain('hello')
  await agent.client.stop(other.id)
})

test('packets with a spoofed source address are dropped', async () => {
  const job = await lasting('sleep 100')
  const inside = (...words: string[]) => agent.onHost('nsenter', `--net=${job.netns}`, ...words)
  await inside('ip', 'address', 'add', '198.18.200.200/32', 'dev', 'eth0')
  const send = (from: string, text: string) => inside(datagram, text, '80', from, publicHosts.ip4)
  await send('198.18.200.200', 'spoofed')
  await send(job.ip4, 'honest')
  await waitUntil(async () => internet.contacts.includes('udp 80 honest'))
  expect(internet.contacts).not.toContain('udp 80 spoofed')
  await agent.client.stop(job.id)
})

test('a job without network has none while others have', async () => {
  const { exit, log } = await agent.run(
    shellJob(image, `ls /sys/class/net /proc/sys/net/ipv4/conf; ${attempts([publicHosts.ip4])}`),
  )
  expect(log).toContain(`${publicHosts.ip4} refused`)
  expect(log).not.toContain('eth0')
  expect(exit.network).toEqual({ ingressBytes: 0, egressBytes: 0 })
})

test('a job on a machine without a route runs, and its connections fail fast', async () => {
  await internet.machineRun('ip', 'route', 'delete', 'default')
  await internet.machineRun('ip', '-6', 'route', 'delete', 'default')
  const started = performance.now()
  expect(await outcomes(attempts(['9.9.9.9', '2620:fe::fe']))).toBe(
    results(['9.9.9.9', '2620:fe::fe'], 'refused'),
  )
  expect(performance.now() - started).toBeLessThan(10_000)
  await waitUntil(async () => (await agent.client.capacity()).running === 0)
})
