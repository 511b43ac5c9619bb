import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asReached } from '../../../agent/mirrors/mirror-address.ts'
import { MirrorServer } from '../../../agent/mirrors/proxy/mirror-server.ts'
import { type MirrorKind, mirrorKinds } from '../../../agent/port/package-mirror.ts'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { argumentsOf, mirrorFolder, mirrorSettings } from './mirror-settings.ts'

/* The real npm and apt of this machine with the settings that steps get, against small servers behind the proxy. */

const run = promisify(execFile)
const routes = new Map<string, Buffer>()
const asked: string[] = []
let folder: string
let mirror: Server
let url: string
const servers: Server[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mirror-settings-'))
  mirror = createServer((request, response) => {
    asked.push(request.url ?? '')
    const body = routes.get(request.url ?? '')
    const type = request.url?.endsWith('.tgz') || request.url?.endsWith('.deb') ? 'x/y' : 'application/json'
    if (body) response.writeHead(200, { 'content-type': type }).end(body)
    else response.writeHead(404).end()
  })
  mirror.listen(0, '127.0.0.1')
  await once(mirror, 'listening')
  url = `http://mirror.test:${(mirror.address() as AddressInfo).port}`
})
afterAll(async () => {
  for (const server of [mirror, ...servers]) server.close()
  await rm(folder, { recursive: true })
})

/** The settings of a step for a mirror at `path`, with the proxy of this test in place of the agent's. */
async function settingsFor(kind: MirrorKind, path: string, archive?: string) {
  const proxy = new MirrorServer()
  proxy.set([{ kind, name: kind, url: url + path, addresses: ['127.0.0.1'], archive }])
  const server = await proxy.listen(kind, 0, '127.0.0.1')
  servers.push(server)
  const reached = new URL(asReached({ kind, archive, url: url + path }).url)
  reached.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const found = mirrorSettings([{ kind, name: kind, url: reached.href, source: url }])
  for (const [name, content] of Object.entries(found.files)) await writeFile(join(folder, name), content)
  const here = Object.entries(found.variables).map(([name, text]) => [
    name,
    text.replace(mirrorFolder, folder),
  ])
  return Object.fromEntries(here) as Record<string, string>
}

const environment = () => ({ PATH: process.env.PATH ?? '', HOME: folder })

test('npm installs from a registry that names its files by its own address', async () => {
  const manifest = { name: 'demo', version: '1.0.0', main: 'index.js' }
  const files = { 'package.json': JSON.stringify(manifest), 'index.js': 'console.log("demo works")' }
  const entries = Object.entries(files).map(([name, content]) => ({ name: `package/${name}`, content }))
  const tgz = gzipSync(tar(...entries))
  const integrity = `sha512-${createHash('sha512').update(tgz).digest('base64')}`
  const dist = { tarball: `${url}/npm/demo/-/demo-1.0.0.tgz`, integrity }
  const document = {
    name: 'demo',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { ...manifest, dist } },
  }
  routes.set('/npm/demo', Buffer.from(JSON.stringify(document)))
  routes.set('/npm/demo/-/demo-1.0.0.tgz', tgz)
  const env = {
    ...environment(),
    ...(await settingsFor('npm', '/npm')),
    npm_config_cache: join(folder, 'cache'),
  }
  const work = join(folder, 'app')
  await mkdir(work)
  await writeFile(join(work, 'package.json'), '{}')
  await run('npm', ['install', '--ignore-scripts', '--no-update-notifier', 'demo'], { cwd: work, env })
  expect((await run(process.execPath, ['-e', 'require("demo")'], { cwd: work })).stdout).toBe('demo works\n')
  expect(asked).toEqual(['/npm/demo', '/npm/demo/-/demo-1.0.0.tgz'])
})

test('apt reads an archive through the sources of the image', async () => {
  const made = join(folder, 'demo/DEBIAN')
  await mkdir(made, { recursive: true })
  const control =
    'Package: demo\nVersion: 1.0\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: demo\n'
  await writeFile(join(made, 'control'), control)
  await run('dpkg-deb', ['--build', '--root-owner-group', join(folder, 'demo'), join(folder, 'demo.deb')])
  const deb = await readFile(join(folder, 'demo.deb'))
  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
  const list = `${control}Filename: pool/demo_1.0_all.deb\nSize: ${deb.length}\nSHA256: ${sha256(deb)}\n`
  const release = `Suite: stable\nCodename: stable\nComponents: main\nArchitectures: amd64\nDate: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n ${sha256(list)} ${list.length} main/binary-amd64/Packages\n`
  routes.set('/deb/dists/stable/Release', Buffer.from(release))
  routes.set('/deb/dists/stable/main/binary-amd64/Packages', Buffer.from(list))
  routes.set('/deb/pool/demo_1.0_all.deb', deb)
  const env = { ...environment(), ...(await settingsFor('apt', '/deb', 'debian')) }
  const state = join(folder, 'apt')
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'etc/parts']) {
    await mkdir(join(state, name), { recursive: true })
  }
  const source = 'deb [trusted=yes arch=amd64] http://archive.invalid/debian stable main\n'
  await writeFile(join(state, 'etc/sources.list'), source)
  await writeFile(join(state, 'status'), '')
  const options = [
    ...[`Dir::State=${state}/state`, `Dir::Cache=${state}/cache`, `Dir::State::status=${state}/status`],
    ...[`Dir::Etc::sourcelist=${state}/etc/sources.list`, `Dir::Etc::sourceparts=${state}/etc/parts`],
    ...['Dir::Etc::parts=/dev/null', 'APT::Sandbox::User=root', 'Acquire::Languages=none'],
  ].flatMap((option) => ['-o', option])
  await run('apt-get', [...options, 'update'], { env, cwd: folder })
  await run('apt-get', [...options, 'download', 'demo'], { env, cwd: state })
  expect(await readFile(join(state, 'demo_1.0_all.deb'))).toEqual(deb)
})

test('each kind has settings that are default arguments without quotes, blanks or expansions', () => {
  for (const kind of mirrorKinds) {
    const archive = kind === 'apt' ? 'debian' : undefined
    const one = asReached({ kind, url: 'https://mirror.test/a/b', archive })
    const found = argumentsOf(mirrorSettings([one]))
    expect(found).not.toEqual([])
    for (const each of found) expect(each).toMatch(/^[A-Za-z_]+=[\w./:+=-]+$/)
    expect(JSON.stringify(mirrorSettings([one]))).not.toContain('mirror.test')
  }
})
