import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createZstdDecompress } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeclaredMirror, writeMirrors } from '../../../agent/mirrors/declared-mirrors.ts'
import { mirrorAddress } from '../../../agent/mirrors/mirror-address.ts'
import { shellJob } from '../../../testing/agent/test-agent.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { demoWheel, pipWheel, simpleIndex } from '../../../testing/registry/demo-wheel.ts'
import { PullBench } from '../../../testing/registry/pull-bench.ts'
import { quarantineKey } from '../../images/oci-layout.ts'
import type { BuildNetworkSettings } from './build-network.ts'

/* Package mirrors at an inner address, over HTTPS with an authority and a login, with the real pip in the steps. */

const { db } = await createTestDatabase()
const [inner, other] = ['10.9.9.9', '10.9.9.10']
const origin = `https://${inner}:5000`
const login = 'builds:correct horse'
const packages: BuildNetworkSettings = {
  buildNetwork: 'packages',
  packageHostsFile: undefined,
  buildEgressCapBytes: 1024 ** 2,
}
let bench: PullBench
let companyId: string
let folder: string
let pip: Buffer

beforeAll(async () => {
  bench = await PullBench.start(db, [inner, other])
  companyId = (await makeTenant(db)).companyId
  folder = await mkdtemp(join(tmpdir(), 'mirrors-'))
  await writeFile(join(folder, 'login'), `${login}\n`)
  pip = (await pipWheel()).content
})
afterAll(async () => {
  await bench?.dispose()
  await rm(folder, { recursive: true })
})

/** Declares a mirror of pip's index, and serves `routes` to those who have the login. */
async function declare(routes: ReturnType<typeof simpleIndex>, change: Partial<DeclaredMirror> = {}) {
  await bench.registry.replace({})
  await bench.registry.serve(routes, login)
  const caFile = bench.registry.authority
  const loginFile = join(folder, 'login')
  const mirror = {
    kind: 'pypi' as const,
    url: `${origin}/repo/simple`,
    inner: true,
    caFile,
    loginFile,
    ...change,
  }
  await writeMirrors(join(bench.agent.dataDir, 'agent'), [mirror])
}

const install = 'RUN python3 /pip.whl/pip install --disable-pip-version-check --retries 0 --target /app demo'
const demo = 'RUN PYTHONPATH=/app python3 -m demo'
/** Fails the build at the end, so that no image is written. */
const stop = 'RUN exit 9'
const build = (lines: string[], network = packages) =>
  bench.build(['FROM curated/tiny-python:1', 'COPY pip.whl /', ...lines], {
    companyId,
    network,
    files: [{ name: 'pip.whl', content: pip }],
  })

test('pip installs from a mirror at an inner address, which gets the login that the step never has', async () => {
  await declare(simpleIndex('/repo'))
  const seen = `RUN env; cat /dev/packages/* 2>/dev/null || true`
  const { failure, log, outputs, versionId } = await build([seen, install, demo])
  expect(failure, log).toBe('')
  expect(log).toContain('demo works')
  expect(log).not.toContain('correct horse')
  expect(outputs.reach?.reached).toEqual([
    { name: 'mirror:pypi', address: mirrorAddress, protocol: 'tcp', port: 4001 },
  ])
  expect(outputs.reach?.complete).toBe(true)
  // Nothing of it is in the image.
  expect(JSON.stringify(outputs.imageConfig)).not.toMatch(/PIP_|198\.18\./)
  const layer = await text((await bench.storage.get(quarantineKey(versionId))).pipe(createZstdDecompress()))
  expect([layer.includes('198.18.254'), layer.includes('correct horse')]).toEqual([false, false])
})

test('an index that names its files by the mirror’s own address works too', async () => {
  await declare(simpleIndex('/repo', { fileAddress: `${origin}/repo/packages/demo-1.0-py3-none-any.whl` }))
  const { failure, log } = await build([install, demo, stop])
  expect(failure, log).toBe('dockerfile_exit line_5')
  expect(log).toContain('demo works')
})

/** Prints what a step reaches over a plain connection. */
const connect = (targets: [string, number][]) => {
  const program = `
import socket
for host, port in ${JSON.stringify(targets)}:
    try:
        socket.create_connection((host, port), 3).close()
        print(host, port, 'open', flush=True)
    except OSError:
        print(host, port, 'shut', flush=True)
`
  return `RUN ${JSON.stringify(['python3', '-c', program])}`
}

test('steps reach the proxy alone: not the mirror, not its neighbours, and no other address of the proxy', async () => {
  await declare(simpleIndex('/repo'))
  const targets: [string, number][] = [
    ...[inner, other].map((address): [string, number] => [address, 5000]),
    ['198.18.0.1', 4001],
    [mirrorAddress, 53],
    [mirrorAddress, 4009],
  ]
  const { log } = await build([connect([...targets, [mirrorAddress, 4001]]), stop])
  expect(log.match(/^\S+ \d+ (?:open|shut)$/gm)).toEqual([
    ...targets.map((target) => `${target.join(' ')} shut`),
    `${mirrorAddress} 4001 open`,
  ])
})

test('a run does not reach the proxy, and may not request it', async () => {
  await declare(simpleIndex('/repo'))
  const image = await bench.agent.image([])
  const job = shellJob(image, `echo | nc -w 2 ${mirrorAddress} 4001 2>/dev/null && echo open || echo shut`)
  const online = { ...job, network: { egressCapBytes: 1024 ** 2 } }
  expect((await bench.agent.run(online)).log).toBe('shut\n')
  const wish = { ...job, id: `${job.id}_2`, network: { egressCapBytes: 1, mirrors: true as const } }
  await expect(bench.agent.run(wish)).rejects.toMatchObject({ slug: 'spec_invalid' })
})

test('without mirrors and package hosts, or with the network off, steps have no link', async () => {
  await declare(simpleIndex('/repo'))
  const off = await build([stop], { ...packages, buildNetwork: 'none' })
  expect(off.outputs.network).toBe('none')
  await writeMirrors(join(bench.agent.dataDir, 'agent'), [])
  const { outputs } = await build([stop])
  expect(outputs.network).toBe('none')
})

test.each([
  [
    'a redirect inside',
    { '/repo/simple/demo/': { status: 302, location: `https://${other}:5000/x` } },
    {},
    'mirror_redirect_elsewhere',
  ],
  ['a wrong certificate', {}, { caFile: undefined }, 'mirror_certificate_invalid'],
  ['a wrong login', {}, { loginFile: undefined }, 'mirror_login_refused'],
  ['a host that is not there', {}, { url: 'https://absent.invalid/simple' }, 'mirror_unreachable'],
] as const)('%s ends the step with its code in the log', async (_what, routes, change, code) => {
  await declare({ ...simpleIndex('/repo'), ...routes }, change)
  const { failure, log } = await build([install])
  expect(failure).toBe('dockerfile_exit line_3')
  expect(log).toContain(`The package mirrors failed:\n  pypi (${code}), `)
})

test('a file that changed after the index was read is not installed', async () => {
  await declare(simpleIndex('/repo', { served: demoWheel('print("other")\n') }))
  const { failure, log } = await build([install])
  expect(failure).toBe('dockerfile_exit line_3')
  expect(log).toContain('DO NOT MATCH THE HASHES')
})

test('files of settings are in the builder’s /dev', async () => {
  await declare({}, { kind: 'apt', url: `${origin}/debian`, archive: 'debian' })
  const { failure, log } = await build(['RUN cat "$APT_CONFIG" && exit 9'])
  expect(log).toContain(`Acquire::http::Proxy "http://${mirrorAddress}:4003/";`)
  expect(failure).toBe('dockerfile_exit line_3')
})

test('the failing line is that of the author’s file', async () => {
  await declare(simpleIndex('/repo'))
  const { failure } = await build(['RUN true', 'RUN exit 3'])
  expect(failure).toBe('dockerfile_exit line_4')
})

test('a file of mirrors that cannot be used ends the build before any step', async () => {
  await writeFile(join(bench.agent.dataDir, 'agent/mirrors.json'), '{')
  const { failure } = await build([stop])
  expect(failure).toBe('identity_config package_mirrors_unreadable')
})
