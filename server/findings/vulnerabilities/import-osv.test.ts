import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { zip } from '../../../reader/formats/archive-fixtures.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { importOsv } from './import-osv.ts'
import { comparedVersionsMax, type InstalledPackage, matchPackages } from './match-packages.ts'

const { db } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-osv-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  await db.deleteFrom('vulnerabilities').execute()
  await db.deleteFrom('vulnerability_imports').execute()
})

interface Osv {
  id?: string
  ecosystem?: string
  name?: string
  events?: Record<string, string>[]
  versions?: string[]
  rest?: Record<string, unknown>
}

const osv = ({
  id = 'CVE-1',
  ecosystem = 'Debian:12',
  name = 'openssl',
  events = [],
  versions,
  rest,
}: Osv) => ({
  id,
  summary: `about ${id}`,
  affected: [{ package: { ecosystem, name }, ranges: [{ type: 'ECOSYSTEM', events }], versions }],
  ...rest,
})

async function take(...records: unknown[]) {
  const path = join(folder, 'records.jsonl')
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return importOsv(db, path)
}

const installed = (ecosystem: string, name: string, version: string): InstalledPackage => ({
  ecosystem,
  name,
  version,
  subject: `pkg:x/${name}`,
})

const rulesFor = async (...packages: InstalledPackage[]) =>
  (await matchPackages(db, packages)).findings.map(({ rule }) => rule)

describe('vulnerabilities', () => {
  it('are unknown before the first import', async () => {
    expect(await matchPackages(db, [installed('npm', 'a', '1.0.0')])).toEqual({
      database: undefined,
      findings: [],
      isComplete: true,
    })
  })

  const fixed = [{ introduced: '0' }, { fixed: '3.0.11-1~deb12u2' }]
  it.each([
    ['Debian:12', 'openssl', '3.0.11-1~deb12u1', fixed, true],
    ['Debian:12', 'openssl', '3.0.11-1~deb12u2', fixed, false],
    ['Debian:12', 'openssl', '1:1.0', fixed, false],
    ['npm', 'a', '1.2.3', [{ introduced: '1.0.0' }, { last_affected: '1.2.3' }], true],
    ['npm', 'a', '1.2.4', [{ introduced: '1.0.0' }, { last_affected: '1.2.3' }], false],
    ['npm', 'a', '2.0.1', [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }], true],
    ['npm', 'a', '1.0.0-rc.1', [{ introduced: '0' }, { fixed: '1.0.0' }], true],
    ['npm', 'a', 'no version', [{ introduced: '0' }], false],
    ['Go', 'github.com/a/b', 'v1.2.3', [{ introduced: '0' }, { fixed: '1.2.4' }], true],
    ['PyPI', 'flask-x', '1.0rc1', [{ introduced: '0' }, { fixed: '1.0' }], true],
    ['PyPI', 'flask-x', '1.0.post1', [{ introduced: '0' }, { fixed: '1.0' }], false],
    ['Maven', 'org.a:b', '1.0', [{ introduced: '0' }], false],
  ])('of %s: %s %s with %j', async (...[ecosystem, name, version, events, isAffected]) => {
    await take(osv({ ecosystem, name, events }))
    expect(await rulesFor(installed(ecosystem, name, version))).toEqual(isAffected ? ['CVE-1'] : [])
  })

  it('match listed versions and any spelling of a package, and report each package once', async () => {
    await take(
      osv({ id: 'GHSA-1', ecosystem: 'Maven', name: 'org.a:b', versions: ['1.0'] }),
      osv({ id: 'PYSEC-1', ecosystem: 'PyPI', name: 'Flask_X', versions: ['1', '2'] }),
    )
    const { findings } = await matchPackages(db, [
      installed('Maven', 'org.a:b', '1.0'),
      installed('PyPI', 'flask.x', '2'),
      installed('PyPI', 'Flask-X', '1'),
    ])
    expect(findings.map(({ rule, installed_version }) => [rule, installed_version])).toEqual([
      ['GHSA-1', '1.0'],
      ['PYSEC-1', '1, 2'],
    ])
  })

  it('have the severity from the database, or else from the score', async () => {
    const events = [{ introduced: '0' }]
    const score = (vector: string) => ({ severity: [{ type: 'CVSS_V3', score: vector }] })
    await take(
      osv({ id: 'a', events, rest: { database_specific: { severity: 'MODERATE' } } }),
      osv({ id: 'b', events, rest: score('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H') }),
      osv({ id: 'c', events, rest: score('CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:C/C:L/I:L/A:N') }),
      osv({ id: 'd', events, rest: score('CVSS:3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:L') }),
      osv({ id: 'e', events, rest: score('nonsense') }),
      osv({ id: 'f', events, rest: { withdrawn: '2024-01-01T00:00:00Z' } }),
    )
    const { findings } = await matchPackages(db, [installed('Debian:12', 'openssl', '1')])
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      'a medium',
      'b critical',
      'c medium',
      'd low',
      'e unknown',
    ])
  })
})

describe('an import', () => {
  const events = [{ introduced: '0' }]
  it('replaces the data of its ecosystems, and of no other', async () => {
    await take(osv({ id: 'old', events }), osv({ id: 'npm-1', ecosystem: 'npm', name: 'a', events }))
    const { revision } = await take(osv({ id: 'new', events }))
    const packages = [installed('Debian:12', 'openssl', '1'), installed('npm', 'a', '1.0.0')]
    expect(await rulesFor(...packages)).toEqual(['new', 'npm-1'])
    expect((await matchPackages(db, packages)).database?.revision).toBe(revision)
  })

  it('accepts a zip in the format of osv.dev', async () => {
    const path = join(folder, 'all.zip')
    const entries = ['one', 'two'].map((id) => ({
      name: `${id}.json`,
      content: JSON.stringify(osv({ id, events })),
    }))
    writeFileSync(path, zip([...entries, { name: 'README', content: 'no JSON' }]))
    expect(await importOsv(db, path)).toMatchObject({ ecosystems: ['Debian:12'], vulnerabilities: 2 })
    expect(await rulesFor(installed('Debian:12', 'openssl', '1'))).toEqual(['one', 'two'])
  })

  it.each([
    [
      'a line that is not JSON',
      Buffer.from(`${JSON.stringify(osv({ id: 'x', events }))}\n{`),
      /line 2 is not valid JSON/,
    ],
    ['a damaged zip', zip([{ name: 'a.json', content: '{}' }]).subarray(0, -10), /./],
    ['no record at all', Buffer.from('{}\n[]\n7\n'), /no OSV record/],
    ['nothing', Buffer.alloc(0), /no OSV record/],
  ])('of %s changes nothing', async (_what, bytes, message) => {
    await take(osv({ id: 'kept', events }))
    const path = join(folder, 'broken')
    writeFileSync(path, bytes)
    await expect(importOsv(db, path)).rejects.toThrow(message)
    expect(await rulesFor(installed('Debian:12', 'openssl', '1'))).toEqual(['kept'])
  })
})

describe('vulnerabilities of an image with many packages', () => {
  const versions = (count: number, name = 'openssl') =>
    Array.from({ length: count }, (_, at) => installed('Debian:12', name, `2.${at}`))
  const affectedIn = (version: string, id: string) => osv({ id, versions: [version] })

  it('are compared in many rounds of the event loop', async () => {
    const events = [{ introduced: '0' }, { fixed: '1' }]
    await take(...Array.from({ length: 400 }, (_, at) => osv({ id: `CVE-${at}`, events })))
    let rounds = 0
    let isDone = false
    const count = () => {
      rounds += 1
      if (!isDone) setImmediate(count)
    }
    count()
    await matchPackages(db, versions(comparedVersionsMax))
    isDone = true
    expect(rounds).toBeGreaterThanOrEqual(30)
  })

  it('are those of the first versions of a package, where an image has very many, and the result says so', async () => {
    await take(affectedIn('2.99', 'CVE-99'), affectedIn('2.100', 'CVE-100'))
    const few = versions(comparedVersionsMax)
    expect(await matchPackages(db, [...few, ...few])).toMatchObject({
      findings: [{ rule: 'CVE-99' }],
      isComplete: true,
    })
    const unknown = versions(20_000, 'in no advisory')
    expect(await matchPackages(db, [...few, ...unknown])).toMatchObject({ isComplete: true })
    expect(await matchPackages(db, versions(20_000))).toMatchObject({
      findings: [{ rule: 'CVE-99' }],
      isComplete: false,
    })
  })

  it('are not all found in an image that needs too many comparisons, and the result says so', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `package-${at}`)
    const advisories = names.flatMap((name) =>
      Array.from({ length: 201 }, (_, at) => osv({ id: `CVE-${at}`, name, events: [{ introduced: '0' }] })),
    )
    await take(...advisories)
    const all = await matchPackages(
      db,
      names.flatMap((name) => versions(1, name)),
    )
    expect([all.findings.length, all.isComplete]).toEqual([2010, true])
    const most = await matchPackages(
      db,
      names.flatMap((name) => versions(comparedVersionsMax, name)),
    )
    expect([most.findings.length, most.isComplete]).toEqual([2000, false])
  })
})
