import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { type Severity, severities } from '@sandbox-jobs/contract/severities.ts'
import type { Affected } from '../../db/tables/findings.ts'
import { cvssSeverity } from './cvss-severity.ts'

/** One vulnerability of one package. */
export interface Vulnerability {
  ecosystem: string
  package: string
  id: string
  severity: Severity
  title: string
  affected: Affected
}

/**
 * The fields of an OSV record (ossf.github.io/osv-schema) that matching uses. Each field may be absent or have any
 * type.
 */
interface OsvRecord {
  id?: unknown
  summary?: unknown
  details?: unknown
  withdrawn?: unknown
  affected?: unknown
  severity?: unknown
  database_specific?: unknown
}

const titleMaxLength = 200

/** The vulnerabilities of each package in an OSV record. Empty if the record is withdrawn or invalid. */
export function vulnerabilitiesOf(value: unknown): Vulnerability[] {
  const record = objectOf(value) as OsvRecord
  const { id } = record
  if (typeof id !== 'string' || id === '' || id.length > 256 || record.withdrawn !== undefined) return []
  const byPackage = new Map<string, Vulnerability>()
  for (const entry of listOf(record.affected).map(objectOf)) {
    const target = objectOf(entry.package)
    if (typeof target.ecosystem !== 'string' || typeof target.name !== 'string') continue
    const ecosystem = target.ecosystem.replace(/:LTS$/, '')
    const name = packageKey(ecosystem, target.name)
    const key = `${ecosystem}\0${name}`
    const known = byPackage.get(key)
    const affected = affectedOf(entry)
    if (known) {
      known.affected.versions.push(...affected.versions)
      known.affected.ranges.push(...affected.ranges)
    } else {
      byPackage.set(key, {
        ecosystem,
        package: name,
        id,
        severity: severityOf(record, entry),
        title: titleOf(record),
        affected,
      })
    }
  }
  return [...byPackage.values()]
}

/** Normalized name for comparison. In Python names, `-`, `_`, `.` and letter case do not matter (PEP 503). */
export const packageKey = (ecosystem: string, name: string): string =>
  ecosystem === 'PyPI' ? name.toLowerCase().replaceAll(/[-_.]+/g, '-') : name

function affectedOf(entry: Record<string, unknown>): Affected {
  const versions = listOf(entry.versions).filter((version) => typeof version === 'string')
  const ranges = listOf(entry.ranges)
    .map(objectOf)
    // The other types are commit ranges.
    .filter(({ type }) => type === 'ECOSYSTEM' || type === 'SEMVER')
    .flatMap(({ events }) => intervals(listOf(events).map(objectOf)))
  return { versions, ranges }
}

/** Events are in order: `introduced` starts an interval, `fixed` ends it. */
function intervals(events: Record<string, unknown>[]): Affected['ranges'] {
  const found: Affected['ranges'] = []
  let open: Affected['ranges'][number] | undefined
  for (const { introduced, fixed, last_affected: lastAffected } of events) {
    if (typeof introduced === 'string') {
      open = { introduced }
      found.push(open)
    } else if (open && typeof fixed === 'string') {
      open.fixed = fixed
      open = undefined
    } else if (open && typeof lastAffected === 'string') {
      open.lastAffected = lastAffected
      open = undefined
    }
  }
  return found
}

const words: Record<string, Severity> = { moderate: 'medium', unimportant: 'low' }

/** The severity that the database states, or else the severity of the score. */
function severityOf(record: OsvRecord, entry: Record<string, unknown>): Severity {
  const specific = [entry.ecosystem_specific, entry.database_specific, record.database_specific].map(objectOf)
  for (const word of specific.flatMap(({ severity, urgency }) => [severity, urgency])) {
    const lower = typeof word === 'string' ? word.toLowerCase() : ''
    const severity = words[lower] ?? severities.find((each) => each === lower)
    if (severity) return severity
  }
  const scores = [...listOf(entry.severity), ...listOf(record.severity)].map(objectOf)
  for (const { type, score } of scores) {
    if (type === 'CVSS_V3' && typeof score === 'string') return cvssSeverity(score)
  }
  return 'unknown'
}

function titleOf({ id, summary, details }: OsvRecord): string {
  const text = [summary, details].find((each) => typeof each === 'string' && each.trim() !== '') ?? id
  const line = String(text).trim().split('\n')[0] ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL cannot be stored, and the others are no text
  return line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, titleMaxLength)
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {})
