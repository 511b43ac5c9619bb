import { setImmediate as nextRound } from 'node:timers/promises'
import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Executing } from '../../db/database.ts'
import type { VulnerabilitiesTable } from '../../db/tables/findings.ts'
import { affectedBy, type Verdict } from './is-affected.ts'
import { packageKey } from './osv-record.ts'
import { type DatabaseRevision, latestRevision, listCandidates } from './vulnerability-store.ts'

/** A package as vulnerability databases name it. For a distribution, the source package. */
export interface InstalledPackage {
  /** OSV name of the ecosystem: `Debian:12`, `npm`. */
  ecosystem: string
  name: string
  version: string
  /** Package URL without a version. It identifies what the finding concerns. */
  subject: string
}

export interface Matched {
  /** Undefined if the operator has not imported a database. Then nothing is known. */
  database: DatabaseRevision | undefined
  findings: ScanFinding[]
}

/** Comparisons in one round of the event loop: an image may have 20,000 versions of one package. */
const comparisonsAtOnce = 1000

/**
 * Known vulnerabilities of the packages. Each vulnerability is reported once per package, for all installed copies
 * and versions.
 */
export async function matchPackages(db: Executing, packages: readonly InstalledPackage[]): Promise<Matched> {
  const database = await latestRevision(db)
  if (!database) return { database, findings: [] }
  /** By name, then by version: copies of one version are compared once. */
  const installed = new Map<string, Map<string, InstalledPackage>>()
  for (const each of packages) {
    const key = keyOf(each.ecosystem, packageKey(each.ecosystem, each.name))
    const versions = installed.get(key) ?? new Map<string, InstalledPackage>()
    installed.set(key, versions)
    if (!versions.has(each.version)) versions.set(each.version, each)
  }
  const wanted = [...installed.keys()].map((key) => {
    const [ecosystem = '', name = ''] = key.split('\0')
    return { ecosystem, name }
  })
  const findings: ScanFinding[] = []
  const pace = { compared: 0 }
  for (const candidate of await listCandidates(db, wanted)) {
    const there = installed.get(keyOf(candidate.ecosystem, candidate.package))
    const finding = await findingOf(candidate, [...(there?.values() ?? [])], pace)
    if (finding) findings.push(finding)
  }
  return { database, findings }
}

/** The revision that scans use now. Undefined before the operator's first import. */
export const latestVulnerabilities = (db: Executing): Promise<DatabaseRevision | undefined> =>
  latestRevision(db)

const keyOf = (ecosystem: string, name: string): string => `${ecosystem}\0${name}`

const versionsShown = 5

async function findingOf(
  candidate: VulnerabilitiesTable,
  there: readonly InstalledPackage[],
  pace: { compared: number },
): Promise<ScanFinding | undefined> {
  const { ecosystem, affected } = candidate
  const hits: (Verdict & InstalledPackage)[] = []
  for (const each of there) {
    pace.compared += 1
    if (pace.compared % comparisonsAtOnce === 0) await nextRound()
    const verdict = affectedBy(ecosystem, each.version, affected)
    if (verdict) hits.push({ ...verdict, ...each })
  }
  const [first] = hits
  if (!first) return undefined
  const versions = [...new Set(hits.map(({ version }) => version))].toSorted()
  return {
    kind: 'vulnerability',
    rule: candidate.id,
    subject: first.subject,
    severity: candidate.severity as ScanFinding['severity'],
    title: candidate.title,
    installed_version: versions.slice(0, versionsShown).join(', '),
    fixed_version: hits.find(({ fixedVersion }) => fixedVersion !== '')?.fixedVersion ?? '',
  }
}
