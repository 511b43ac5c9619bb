import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep } from '../../server/base/clock.ts'
import { publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../testing/agent/internet/resolving-agent.ts'
import { shellJob, type TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { tryRebinds } from '../../testing/agent/try-rebinds.ts'

let machineOfAgent: ResolvingAgent
let agent: TestAgent
let empty: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent(['10.9.9.9'])
  agent = machineOfAgent.agent
  empty = await agent.image()
})
afterAll(() => machineOfAgent.dispose())

const run = async (script: string) =>
  (
    await agent.run({
      ...shellJob(empty, script, { timeoutMs: 60_000 }),
      network: { egressCapBytes: 1024 ** 3 },
    })
  ).log

const hex4 = (address: string) => Buffer.from(address.split('.').map(Number)).toString('hex')
const public4 = hex4(publicHosts.ip4)
const public6 = '26064700470000000000000000001111'
/** The addresses that a lookup names, without the resolver's own. */
const found = (log: string) =>
  [...log.matchAll(/^Address:\s+(\S+)$/gm)]
    .map(([, address]) => address)
    .filter((address) => address !== '198.18.0.1:53')

async function lookUp(name: string): Promise<(string | undefined)[]> {
  return found(await run(`nslookup ${name}`))
}

test('a job resolves names, and reaches public hosts by name', async () => {
  expect(await lookUp(`${public4}.test`)).toEqual([publicHosts.ip4])
  const both = await lookUp(`via.${public4}.${public6}.test`)
  expect(both.toSorted()).toEqual([publicHosts.ip4, publicHosts.ip6].toSorted())
  expect(await run(`echo | nc -w 3 ${public4}.test 80`)).toBe(`hello from ${publicHosts.ip4}\n`)
})

test('a name with an internal address resolves to nothing: directly, by an alias, mapped or next to a public one', async () => {
  const names = [
    ...['10.9.9.9', '127.0.0.1', '169.254.169.254', '192.168.1.1', '0.0.0.0', '100.100.100.200'].map(hex4),
    `via.${hex4('10.9.9.9')}`,
    `${public4}.${hex4('10.9.9.9')}`,
    // ::1, ::ffff:10.9.9.9, 64:ff9b::10.9.9.9, 2002:0a09:0909::, fd00:ec2::254, fe80::1
    '00000000000000000000000000000001',
    '00000000000000000000ffff0a090909',
    '0064ff9b00000000000000000a090909',
    '20020a09090900000000000000000000',
    'fd000ec2000000000000000000000254',
    'fe800000000000000000000000000001',
  ]
  for (const name of names) expect(await lookUp(`${name}.test`), name).toEqual([])
})

test('a name that changes to an internal address while it is used resolves to nothing', async () => {
  const { made, outside, inside } = await tryRebinds(machineOfAgent, empty, 300)
  expect(inside).toEqual([])
  expect(outside).toBeGreaterThan(0)
  expect(made).toBe(300)
})

test('the resolver answers over TCP too', async () => {
  const question = String.raw`\000\037\022\064\001\000\000\001\000\000\000\000\000\000\01008080808\004test\000\000\001\000\001`
  const ask = `(printf '${question}'; sleep 0.5) | timeout 3 nc 198.18.0.1 53`
  expect(await run(`${ask} | tail -c 4 | hexdump -e '4/1 "%d."'`)).toBe('8.8.8.8.')
})

async function resolverPid(): Promise<number> {
  const pids = await agent.onHost('sh', '-c', `pgrep -P ${agent.process?.pid} -x resolver || true`)
  return Number(pids.trim().split('\n')[0] || 0)
}

test('the resolver has no capabilities, no files and a filter, and is restarted when killed', async () => {
  const pid = await resolverPid()
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  expect(status).toMatch(/^Uid:\t1073676287\t1073676287\t1073676287\t1073676287$/m)
  expect(status).toMatch(/^CapEff:\t0000000000000000$/m)
  expect(status).toMatch(/^NoNewPrivs:\t1$/m)
  expect(status).toMatch(/^Seccomp:\t2$/m)
  expect((await agent.onHost('ls', '-A', `/proc/${pid}/root/`)).trim()).toBe('')
  process.kill(pid, 'SIGKILL')
  await waitUntil(async () => ![0, pid].includes(await resolverPid()))
  await waitUntil(async () => (await lookUp(`${public4}.test`)).includes(publicHosts.ip4))
})

test('the resolver goes on after the machine was suspended', async () => {
  const pid = await resolverPid()
  // In its poll, which the kernel then restarts by another call.
  await sleep(100)
  process.kill(pid, 'SIGSTOP')
  await sleep(100)
  process.kill(pid, 'SIGCONT')
  expect(await lookUp(`${public4}.test`)).toEqual([publicHosts.ip4])
  expect(await resolverPid()).toBe(pid)
})

test('malformed questions over UDP and TCP do not break the resolver', async () => {
  const pid = await resolverPid()
  const lines = [
    'x',
    '\\000\\001',
    '\\000\\014aaaaaaaaaaaa',
    '\\377\\377',
    '\\002\\000aaaa',
    '\\000\\021ab\\001\\000\\000\\001\\000\\000\\000\\000\\000\\000\\300\\014\\000\\001\\000',
  ]
  await run(lines.map((line) => `printf '${line}' | timeout 1 nc -w 1 198.18.0.1 53`).join('; '))
  await run(
    'i=0; while [ $i -lt 100 ]; do i=$((i+1)); head -c $i /dev/urandom | timeout 1 nc -w 1 198.18.0.1 53 & done; wait',
  )
  expect(await resolverPid()).toBe(pid)
  expect(await lookUp(`${public4}.test`)).toEqual([publicHosts.ip4])
})
