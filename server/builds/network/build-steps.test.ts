import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createZstdDecompress } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machine, publicHosts } from '../../../testing/agent/internet/fake-internet.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { PullBench, type PullOutcome } from '../../../testing/registry/pull-bench.ts'
import { quarantineKey } from '../../images/oci-layout.ts'
import type { BuildNetworkSettings } from './build-network.ts'

/* Destinations that the steps of a Dockerfile reach, on the tests' own internet. */

const { db } = await createTestDatabase()
const [inner, metadata] = ['10.9.9.9', '169.254.169.254']
const [listedName, otherName] = ['packages.08080808.test', 'elsewhere.01010101.test']
let bench: PullBench
let companyId: string
let folder: string

beforeAll(async () => {
  bench = await PullBench.start(db, [inner, metadata])
  companyId = (await makeTenant(db)).companyId
  folder = await mkdtemp(join(tmpdir(), 'package-hosts-'))
})
afterAll(async () => {
  await bench?.dispose()
  await rm(folder, { recursive: true })
})

const mib = 1024 ** 2
const settings = (buildNetwork: BuildNetworkSettings['buildNetwork'], packageHostsFile?: string) => ({
  buildNetwork,
  packageHostsFile,
  buildEgressCapBytes: mib,
})

async function listing(content: string): Promise<string> {
  const path = join(folder, 'hosts')
  await writeFile(path, content)
  return path
}

const build = (lines: string[], network: BuildNetworkSettings): Promise<PullOutcome> =>
  bench.build(['FROM curated/tiny-python:1', ...lines], { companyId, network })

/** Prints `HOST reached` or `HOST refused` for each host. */
const attempts = (hosts: string[]): string => {
  const program = `
import socket
for host in ${JSON.stringify(hosts)}:
    try:
        with socket.create_connection((host, 80), 3) as s:
            s.sendall(b'hi\\n')
            print(host, 'reached' if b'hello' in s.recv(100) else 'refused', flush=True)
    except OSError:
        print(host, 'refused', flush=True)
`
  return `RUN ${JSON.stringify(['python3', '-c', program])}`
}

const reachedIn = ({ log }: PullOutcome) =>
  [...log.matchAll(/^(\S+) reached$/gm)].map(([, host = '']) => host)
const refusedIn = ({ log }: PullOutcome) =>
  [...log.matchAll(/^(\S+) refused$/gm)].map(([, host = '']) => host)

const forbidden = [inner, metadata, machine.ip4, machine.private4, '127.0.0.1', '198.18.0.1', '198.18.0.3']

test('public: steps reach public names and addresses, and nothing else', async () => {
  const open = [listedName, otherName, publicHosts.ip4, publicHosts.ip6]
  const outcome = await build([attempts([...open, ...forbidden])], settings('public'))
  expect(outcome.failure, outcome.log).toBe('')
  expect(reachedIn(outcome)).toEqual(open)
  expect(refusedIn(outcome)).toEqual(forbidden)
})

test('packages: steps reach the listed hosts by name, and no other name or address', async () => {
  const file = await listing(`# a comment\n${listedName}  # another\n\n`)
  const shut = [publicHosts.ip4, otherName, publicHosts.other4, publicHosts.ip6, ...forbidden]
  const outcome = await build([attempts([...shut, listedName])], settings('packages', file))
  expect(outcome.failure, outcome.log).toBe('')
  expect(reachedIn(outcome)).toEqual([listedName])
  expect(refusedIn(outcome)).toEqual(shut)
})

test('the log names what was refused, with the reason', async () => {
  const file = await listing(listedName)
  const { log } = await build([attempts([otherName, metadata, publicHosts.ip4])], settings('packages', file))
  const [, end = ''] = log.split('The network of build steps refused:')
  expect(end).toContain(`  ${otherName} (name_not_in_allow_list), `)
  expect(end).toContain(`  ${metadata}, tcp port 80 (metadata_address), `)
  expect(end).toContain(`  ${publicHosts.ip4}, tcp port 80 (not_in_allow_list), `)
})

test('what the steps reached is known, by host, with the bytes', async () => {
  const { outputs } = await build([attempts([listedName, publicHosts.other4, inner])], settings('public'))
  expect(outputs.reach).toEqual({
    reached: [
      { name: listedName, address: publicHosts.ip4, protocol: 'tcp', port: 80 },
      { name: '', address: publicHosts.other4, protocol: 'tcp', port: 80 },
    ],
    more: 0,
    complete: true,
    ingress_bytes: expect.any(Number),
    egress_bytes: expect.any(Number),
  })
  expect(outputs.reach?.ingress_bytes).toBeGreaterThan(0)
  expect(outputs.reach?.egress_bytes).toBeGreaterThan(0)
})

test('a build that sends more than its cap ends with that reason', async () => {
  const program = `
import socket
s = socket.create_connection((${JSON.stringify(publicHosts.ip4)}, 80))
s.sendall(b'take\\n')
while True: s.sendall(bytes(65536))
`
  const { failure, log } = await build(
    [`RUN ${JSON.stringify(['python3', '-c', program])}`],
    settings('public'),
  )
  expect(failure, log).toBe('egress_cap_exceeded line_2')
})

test.each([
  ['none', settings('none')],
  ['packages without a list', settings('packages')],
])('%s: steps have no link', async (_name, network) => {
  const outcome = await build([attempts([listedName, publicHosts.ip4, ...forbidden])], network)
  expect(outcome.failure, outcome.log).toBe('')
  expect(reachedIn(outcome)).toEqual([])
  expect(outcome.outputs.network).toBe('none')
})

test('a list that cannot be used ends the build before any step', async () => {
  const lists = [join(folder, 'absent'), await listing('packages.08080808.test\nnot a name\n')]
  for (const list of lists) {
    const outcome = await build([attempts([listedName])], settings('packages', list)).catch(String)
    expect(outcome).toMatchObject({ failure: 'identity_config package_hosts_unreadable' })
  }
})

test('the image keeps no trace of the network', async () => {
  const seen = 'RUN cat /etc/resolv.conf; env | grep -i proxy || echo no-proxy'
  const outcome = await build([seen, attempts([listedName])], settings('public'))
  expect(outcome.failure, outcome.log).toBe('')
  expect(outcome.log).toMatch(/^nameserver 198\.18\.0\.1$/m)
  expect(outcome.log).toContain('no-proxy')
  const key = quarantineKey(outcome.versionId)
  const layer = await text((await bench.storage.get(key)).pipe(createZstdDecompress()))
  // Without showing the layer, which is large.
  expect(layer.includes('198.18.0.1')).toBe(false)
  expect(JSON.stringify(outcome.outputs.imageConfig)).not.toMatch(/proxy|198\.18\./i)
})
