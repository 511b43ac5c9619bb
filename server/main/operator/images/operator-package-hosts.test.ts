import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { networkOfBuilds } from '../../../builds/network/build-network.ts'
import { ownPackageHosts } from '../../../builds/network/package-hosts.ts'
import {
  addPackageHost,
  detectPackageHosts,
  readListedHosts,
  removePackageHost,
} from './operator-package-hosts.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-hosts-'))
  vi.stubEnv('SANDBOX_DATA', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

const hosts = async () => {
  const found = await readListedHosts()
  return found.ok ? found.value.hosts : found
}

test('hosts are added and removed, and builds get them', async () => {
  await addPackageHost('b.example.org')
  await addPackageHost('*.a.example.org')
  await addPackageHost('b.example.org')
  expect(await hosts()).toEqual(['*.a.example.org', 'b.example.org'])
  const dataFile = ownPackageHosts(folder)
  expect((await stat(dataFile)).mode & 0o777).toBe(0o644)
  const settings = { buildNetwork: 'packages', packageHostsFile: undefined, dataDir: folder } as const
  expect(await networkOfBuilds({ ...settings, buildEgressCapBytes: 1 }, [])).toMatchObject({
    allow: { names: ['*.a.example.org', 'b.example.org'] },
  })
  expect(await removePackageHost('b.example.org')).toEqual({ ok: true, value: true })
  expect(await removePackageHost('b.example.org')).toEqual({ ok: true, value: false })
})

test.each(['10.0.0.5', 'localhost', 'a b.org', 'https://a.org', '*', '*.org', ''])(
  '%j is refused',
  async (host) => {
    expect(await addPackageHost(host)).toMatchObject({ ok: false, cause: 'request' })
    expect(await hosts()).toEqual([])
  },
)

test('the hosts of the package clients are found once, and what the operator added stays', async () => {
  await addPackageHost('own.example.org')
  const first = await detectPackageHosts()
  if (!first.ok) throw new Error(first.message)
  const { clients, added, private: inner, unusable } = first.value
  expect([...added, ...inner, ...unusable].toSorted()).toEqual(
    [...new Set(clients.flatMap((one) => one.hosts))].toSorted(),
  )
  expect(added.length).toBeGreaterThan(0)
  expect(await hosts()).toEqual(['own.example.org', ...added].toSorted())
  expect(await detectPackageHosts()).toMatchObject({ value: { added: [] } })
})

test('a file of the operator is read, and not changed by commands', async () => {
  const file = join(folder, 'list')
  await writeFile(file, 'c.example.org\n')
  vi.stubEnv('SANDBOX_PACKAGE_HOSTS_FILE', file)
  expect(await hosts()).toEqual(['c.example.org'])
  expect(await addPackageHost('d.example.org')).toMatchObject({ ok: false, cause: 'request' })
  expect(await detectPackageHosts()).toMatchObject({ ok: false, cause: 'request' })
})
