import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { type FindingState, findingMachine } from '@sandbox-jobs/contract/states/finding-states.ts'
import { sql } from 'kysely'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import { recordCreated, transition } from '../db/transition.ts'
import { type FindingRow, fingerprintOf } from './finding.ts'

/**
 * The only way to change the state of a finding. Returns the previous state, or undefined if the transition is not
 * allowed.
 */
export const moveFinding = (
  trx: Trx,
  { id, company_id }: Pick<FindingRow, 'id' | 'company_id'>,
  to: FindingState,
  options: { from?: readonly FindingState[]; blockReason?: string } = {},
): Promise<FindingState | undefined> =>
  transition(trx, {
    table: 'security_findings',
    machine: findingMachine,
    id,
    companyId: company_id,
    to,
    ...(options.from && { from: options.from }),
    set: { state_changed_at: sql`now()`, block_reason: options.blockReason ?? null },
  })

/** Findings that are not closed. The caller holds the lock of the environment. */
export const listTracked = (
  trx: Trx,
  of: Pick<SeenIn, 'companyId' | 'environmentId'>,
): Promise<FindingRow[]> =>
  trx
    .selectFrom('security_findings')
    .selectAll()
    .where('company_id', '=', of.companyId)
    .where('environment_id', '=', of.environmentId)
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
  await recordCreated(trx, {
    machine: findingMachine,
    id,
    companyId: seen.companyId,
    state: findingMachine.initial,
  })
}

/** Records that a version has the finding, and updates its details. */
export const noteSeen = (
  trx: Trx,
  tracked: Pick<FindingRow, 'id' | 'company_id'>,
  finding: ScanFinding,
  versionId: string,
): Promise<unknown> =>
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
    .where('id', '=', tracked.id)
    .where('company_id', '=', tracked.company_id)
    .execute()

/** Most severe first. `after` is the sort position of the last row of the previous page. */
export async function listFindingRows(
  db: Executing,
  of: Pick<SeenIn, 'companyId' | 'environmentId'>,
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
    .where('company_id', '=', of.companyId)
    .where('environment_id', '=', of.environmentId)
    .orderBy('severity_rank')
    .orderBy('id')
    .limit(list.limit)
  if (list.states.length > 0) query = query.where('state', 'in', list.states)
  if (list.severities.length > 0) query = query.where('severity', 'in', list.severities)
  const { after } = list
  if (after) query = query.where(sql<boolean>`(severity_rank, id) > (${after.rank}, ${after.id})`)
  return query.execute()
}

/** Locked until the transaction ends. */
export const lockFinding = (
  trx: Trx,
  key: { companyId: string; environmentId: string; findingId: string },
): Promise<FindingRow | undefined> =>
  trx
    .selectFrom('security_findings')
    .selectAll()
    .where('id', '=', key.findingId)
    .where('company_id', '=', key.companyId)
    .where('environment_id', '=', key.environmentId)
    .forUpdate()
    .executeTakeFirst()

/** For the operator, who identifies a finding only by its id. Locked until the transaction ends. */
export const lockAnyFinding = (trx: Trx, id: string): Promise<FindingRow | undefined> =>
  trx
    .selectFrom('security_findings')
    .modifyFront(acrossCompanies('the operator names a finding'))
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Findings of archived environments. */
export async function listOrphaned(
  db: Executing,
  limit: number,
): Promise<Pick<FindingRow, 'id' | 'company_id' | 'environment_id'>[]> {
  return db
    .selectFrom('security_findings as f')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .innerJoin('environments as e', 'e.id', 'f.environment_id')
    .select(['f.id', 'f.company_id', 'f.environment_id'])
    .where('f.state', '<>', 'closed')
    .where('e.state', '=', 'archived')
    .limit(limit)
    .execute()
}
