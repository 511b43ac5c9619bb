import { SchemaProblem } from './schema-problem.ts'

/** The first migration: the whole schema of its release. */
export const baselineName = '0070-baseline'

/**
 * The migrations that a database created before the baseline has applied instead. The schema is the same, and such a
 * database keeps its record.
 */
export const baselineParts: readonly string[] = [
  '0001-platform',
  '0002-environments',
  '0003-tasks',
  '0004-runs',
  '0005-settings',
  '0006-scripts',
  '0007-retention',
  '0008-company-queue',
  '0009-turns-and-counts',
  '0010-isolation',
  '0011-findings',
  '0012-provenance',
  '0013-build-fence',
  '0014-digest-blocks',
  '0015-operator-limits',
  '0016-live-logs',
  '0017-counts-by-day',
  '0019-allow-lists',
  '0020-run-refusals',
  '0022-build-cache',
  '0024-live-build-logs',
  '0025-build-details',
  '0026-curated-environments',
  '0031-pulled-images',
  '0032-submission-cost',
  '0033-build-prefixes',
  '0038-operator-acts',
  '0039-answered-runs',
  '0040-made-runs',
  '0041-prefixes-by-attempt',
  '0042-received-keys',
  '0043-build-logs',
  '0046-machines',
  '0047-unreturned-claims',
  '0050-run-lanes',
  '0056-kept-bytes',
  '0057-removal-failures',
  '0064-pepper-numbers',
  '0070-login-attempts',
]

/** Whether the recorded migrations include the baseline in parts. Throws `SchemaProblem` if some parts are missing. */
export function hasBaselineParts(recorded: readonly string[]): boolean {
  if (!recorded.some((name) => baselineParts.includes(name))) return false
  const missing = baselineParts.find((name) => !recorded.includes(name))
  if (missing === undefined) return true
  throw new SchemaProblem(
    'schema_too_old',
    `the schema of the database is too old for this release, it lacks ${missing}: install the release before this one, start it on this database once, then install this one`,
  )
}

/** The applied migrations by their current names. Throws `SchemaProblem` if the schema is older than the baseline. */
export const appliedMigrations = (recorded: readonly string[]): readonly string[] =>
  hasBaselineParts(recorded)
    ? [baselineName, ...recorded.filter((name) => !baselineParts.includes(name))]
    : recorded
