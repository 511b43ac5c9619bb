import { setImmediate as nextRound } from 'node:timers/promises'
import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Executing } from '../../db/database.ts'
import type { VulnerabilitiesTable } from '../../db/tables/findings.ts'
import { affectedBy, type Verdict } from './is-affected.ts'
import { packageKey } from './osv-record.ts'
import {
  candidatesMax,
  type DatabaseRevision,
  latestRevision,
  listCandidates,
} from './vulnerability-store.ts'

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
  /** False if a bound was reached: there may be more findings. */
  isComplete: boolean
}

/*
 * The author of an image chooses the packages that are found in it, and comparing versions takes processor time. So these
 * bound one image; an honest one stays far below.
 */

/** Versions of one package that are compared. */
export const comparedVersionsMax = 100
const comparisonsMax = 200_000
/** Comparisons in one round of the event loop. */
const comparisonsAtOnce = 1000

/** The installed versions of one name, the first copy of each. */
interface Installed {
  ecosystem: string
  name: string
  versions: Map<string, InstalledPackage>
  /** There are more versions. */
  isCut: boolean
}

/**
 * Known vulnerabilities of the packages. Each vulnerability is reported once per package, for all installed copies
 * and versions.
 */
export async function matchPackages(db: Executing, packages: readonly InstalledPackage[]): Promise<Matched> {
  const database = await latestRevision(db)
  if (!database) return { database, findings: [], isComplete: true }
  const installed = byName(packages)
  const candidates = await listCandidates(db, [...installed.values()])
  let isComplete = candidates.length <= candidatesMax
  const findings: ScanFinding[] = []
  const pace = { compared: 0 }
  for (const candidate of candidates.slice(0, candidatesMax)) {
    const there = installed.get(keyOf(candidate.ecosystem, candidate.package))
    if (!there) continue
    if (there.isCut) isComplete = false
    const finding = await findingOf(candidate, [...there.versions.values()], pace)
    if (finding) findings.push(finding)
    if (pace.compared >= comparisonsMax) return { database, findings, isComplete: false }
  }
  return { database, findings, isComplete }
}

function byName(packages: readonly InstalledPackage[]): Map<string, Installed> {
  const installed = new Map<string, Installed>()
  for (const each of packages) {
    const { ecosystem, version } = each
    const name = packageKey(ecosystem, each.name)
    const key = keyOf(ecosystem, name)
    const there: Installed = installed.get(key) ?? { ecosystem, name, versions: new Map(), isCut: false }
    installed.set(key, there)
    if (there.versions.has(version)) continue
    if (there.versions.size < comparedVersionsMax) there.versions.set(version, each)
    else there.isCut = true
  }
  return installed
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
