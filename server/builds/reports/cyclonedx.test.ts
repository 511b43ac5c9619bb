import { PackageURL } from 'packageurl-js'
import { expect, it } from 'vitest'
import {
  type Inventory,
  inventoryBounds,
  type Package,
  unscanned,
} from '../../../reader/inventory/inventory.ts'
import { cycloneDx } from './cyclonedx.ts'
import { cycloneDxCheck } from './cyclonedx-conformance.ts'
import { installedPackages } from './installed-packages.ts'
import { nameUrl, packageUrl } from './package-url.ts'

const packages: Package[] = [
  {
    kind: 'deb',
    name: 'libstdc++6',
    version: '1:12.2.0-14+deb12u1~x',
    architecture: 'amd64',
    source: { name: 'gcc-12', version: '12.2.0-14' },
    paths: ['var/lib/dpkg/status'],
  },
  {
    kind: 'golang',
    namespace: 'github.com/Azure',
    name: 'go',
    version: 'v1.2.3+incompatible',
    paths: ['app'],
  },
  { kind: 'maven', namespace: 'org.apache', name: 'log4j', version: '2.17.1', paths: ['x.jar'] },
  {
    kind: 'npm',
    namespace: '@babel',
    name: 'core',
    version: '7.0.0',
    paths: ['node_modules/@babel/core/package.json'],
  },
  { kind: 'pypi', name: 'Foo_Bar', version: '1!2.0', paths: ['a.dist-info/METADATA'] },
]
const inventory: Inventory = {
  system: { id: 'debian', version: '12', name: 'Debian 12' },
  packages,
  observations: [{ rule: 'private_key', path: 'root/.ssh/id_rsa' }],
  unread: [],
  truncated: false,
  files: 1,
  bytes: 1,
}
const layerDigest = `sha256:${'ab'.repeat(32)}`

it('is valid CycloneDX 1.6 by the official schema, with and without packages', () => {
  const check = cycloneDxCheck()
  for (const each of [inventory, { ...inventory, system: undefined }, unscanned]) {
    check(JSON.parse(cycloneDx(each, layerDigest).toString()))
    expect(check.errors).toBeNull()
  }
  check({ ...JSON.parse(cycloneDx(inventory, layerDigest).toString()), specVersion: 7 })
  expect(check.errors).not.toBeNull()
})

it('is the same for the same image, and another for another', () => {
  const sbom = cycloneDx(inventory, layerDigest)
  expect(cycloneDx(structuredClone(inventory), layerDigest)).toEqual(sbom)
  const other = JSON.parse(cycloneDx({ ...inventory, packages: packages.slice(1) }, layerDigest).toString())
  expect(other.serialNumber).not.toBe(JSON.parse(sbom.toString()).serialNumber)
})

it('contains no secrets', () => {
  expect(cycloneDx(inventory, layerDigest).toString()).not.toContain('id_rsa')
})

it('names packages by their package URL', () => {
  expect(packages.map((each) => packageUrl(each, inventory.system))).toEqual([
    'pkg:deb/debian/libstdc%2B%2B6@1:12.2.0-14%2Bdeb12u1~x?arch=amd64&distro=debian-12',
    'pkg:golang/github.com/azure/go@v1.2.3%2Bincompatible',
    'pkg:maven/org.apache/log4j@2.17.1',
    'pkg:npm/%40babel/core@7.0.0',
    'pkg:pypi/foo-bar@1%212.0',
  ])
  expect(nameUrl({ kind: 'apk', name: 'musl' }, undefined)).toBe('pkg:apk/alpine/musl')
})

it('has the epoch of rpm packages as a qualifier, and matches each by its own name', () => {
  const source = { name: 'openssl', version: '1:3.0.7-27.el9' }
  const names = { kind: 'rpm', name: 'openssl-libs', version: source.version } as const
  const libs: Package = { ...names, architecture: 'x86_64', source, paths: ['p'] }
  const system = { id: 'almalinux', version: '9.4', name: 'AlmaLinux' }
  expect(packageUrl(libs, system)).toBe(
    'pkg:rpm/almalinux/openssl-libs@3.0.7-27.el9?arch=x86_64&distro=almalinux-9.4&epoch=1',
  )
  expect(packageUrl(libs, undefined)).toBe('pkg:rpm/openssl-libs@3.0.7-27.el9?arch=x86_64&epoch=1')
  const { name, version } = libs
  const subject = 'pkg:rpm/almalinux/openssl-libs'
  expect(installedPackages({ packages: [libs], system })).toEqual([
    { ecosystem: 'AlmaLinux:9', name, version, subject },
  ])
  expect(installedPackages({ packages: [libs], system: { ...system, id: 'fedora' } })).toEqual([])
})

it('writes package URLs that another parser understands', () => {
  for (const each of packages) {
    const read = PackageURL.fromString(packageUrl(each, inventory.system))
    expect(read.type).toBe(each.kind)
    expect(read.version).toBe(each.version)
    expect(read.name.toLowerCase()).toBe(each.name.toLowerCase().replace('_', '-'))
  }
})

it('takes at most eight times the text of its packages, which an inventory bounds', () => {
  const sizeOf = (listed: Package[]) => cycloneDx({ ...inventory, packages: listed }, layerDigest).length
  const name = '名'.repeat(inventoryBounds.nameLength)
  const version = '名'.repeat(inventoryBounds.versionLength)
  const each: Package = {
    kind: 'apk',
    name,
    version,
    source: { name, version },
    paths: ['lib/apk/db/installed'],
  }
  expect(sizeOf([each]) - sizeOf([])).toBeLessThan(8 * Buffer.byteLength(name + version + name + version))
})
