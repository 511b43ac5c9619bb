import type { ScanFinding } from '@sandbox-jobs/contract/resources/security-finding.ts'
import { type FindingState, findingMachine } from '@sandbox-jobs/contract/states/finding-states.ts'
import { sql } from 'kysely'
import { newId } from '../base/ids.ts'
import type { Executing, Trx } from '../db/database.ts'
import { noteCreated, transition } from '../db/transition.ts'
import { type FindingRow, fingerprintOf } from './finding.ts'

/** The only way a finding changes its state. Answers the state it left, or undefined when it may not move so. */
export const moveFinding = (
  trx: Trx,
  id: string,
  to: FindingState,
  options: { from?: readonly FindingState[]; blockReason?: string } = {},
): Promise<FindingState | undefined> =>
  transition(trx, {
    table: 'security_findings',
    machine: findingMachine,
    id,
    to,
    ...(options.from && { from: options.from }),
    set: { state_changed_at: sql`now()`, block_reason: options.blockReason ?? null },
  })

/** Findings that have not been closed; the caller holds the environment. */
export const listTracked = (trx: Trx, environmentId: string): Promise<FindingRow[]> =>
  trx
    .selectFrom('security_findings')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('state', '<>', 'closed')
    .execute()

export interface SeenIn {
  companyId: string
  environmentId: string
  versionId: string
}

export async function insertFinding(trx: Trx, finding: ScanFinding, seen: SeenIn): Promise<void> {
  const id = newId('securityFinding')
  await trx
    .insertInto('security_findings')
    .values({
      ...finding,
      id,
      company_id: seen.companyId,
      environment_id: seen.environmentId,
      fingerprint: fingerprintOf(finding),
      first_version_id: seen.versionId,
      last_version_id: seen.versionId,
    })
    .execute()
  await noteCreated(trx, {
    machine: findingMachine,
    id,
    companyId: seen.companyId,
    state: findingMachine.initial,
  })
}

/** Notes that a version shows it, with what is known of it by now. */
export const noteSeen = (trx: Trx, id: string, finding: ScanFinding, versionId: string): Promise<unknown> =>
  trx
    .updateTable('security_findings')
    .set({
      severity: finding.severity,
      title: finding.title,
      installed_version: finding.installed_version,
      fixed_version: finding.fixed_version,
      last_version_id: versionId,
      last_seen_at: sql`now()`,
    })
    .where('id', '=', id)
    .execute()

/** The most severe first; `after` is the place of the last one already shown. */
export async function listFindingRows(
  db: Executing,
  environmentId: string,
  list: {
    states: readonly string[]
    severities: readonly string[]
    after: { rank: number; id: string } | undefined
    limit: number
  },
): Promise<FindingRow[]> {
  let query = db
    .selectFrom('security_findings')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .orderBy('severity_rank')
    .orderBy('id')
    .limit(list.limit)
  if (list.states.length > 0) query = query.where('state', 'in', list.states)
  if (list.severities.length > 0) query = query.where('severity', 'in', list.severities)
  const { after } = list
  if (after) query = query.where(sql<boolean>`(severity_rank, id) > (${after.rank}, ${after.id})`)
  return query.execute()
}

export const lockFinding = (
  trx: Trx,
  key: { environmentId: string; findingId: string },
): Promise<FindingRow | undefined> =>
  trx
    .selectFrom('security_findings')
    .selectAll()
    .where('id', '=', key.findingId)
    .where('environment_id', '=', key.environmentId)
    .forUpdate()
    .executeTakeFirst()

/** Findings of environments that have been archived. */
export async function listOrphaned(db: Executing, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('security_findings as f')
    .innerJoin('environments as e', 'e.id', 'f.environment_id')
    .select('f.id')
    .where('f.state', '<>', 'closed')
    .where('e.state', '=', 'archived')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
