import type { FindingKind, ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import {
  type FindingState,
  findingMachine,
  openFindingStates,
} from '@sandbox-jobs/contract/states/finding-states.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import { deleteEventsOf } from '../db/state-events.ts'
import { recordAllCreated, transition, transitionAll } from '../db/transition.ts'
import type { FindingRow } from './finding.ts'

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

export interface SeenIn {
  companyId: string
  environmentId: string
  versionId: string
}

type OfEnvironment = Pick<SeenIn, 'companyId' | 'environmentId'>

/** A finding that the scan of a version shows. */
export interface ShownFinding extends ScanFinding {
  fingerprint: string
}

/** Which of these an environment has, also closed ones. Locked until the transaction ends. */
export async function lockKnown(
  trx: Trx,
  of: OfEnvironment,
  fingerprints: readonly string[],
): Promise<Pick<FindingRow, 'id' | 'fingerprint' | 'state' | 'block_reason'>[]> {
  return trx
    .selectFrom('security_findings')
    .select(['id', 'fingerprint', 'state', 'block_reason'])
    .where('company_id', '=', of.companyId)
    .where('environment_id', '=', of.environmentId)
    .where(sql<SqlBool>`fingerprint = any(${fingerprints}::text[])`)
    .forUpdate()
    .execute()
}

/** The columns of `security_findings` that a scan gives. */
const identity = ['fingerprint', 'kind', 'rule', 'subject'] as const
const details = ['severity', 'title', 'installed_version', 'fixed_version'] as const

/** Texts as the rows of a table `shown`, so that a statement is the same for any number of them. */
function rowsOf<Column extends string>(
  rows: readonly Record<Column, string>[],
  columns: readonly Column[],
): RawBuilder<unknown> {
  const arrays = columns.map((column) => sql`${rows.map((row) => row[column])}::text[]`)
  return sql`unnest(${sql.join(arrays)}) as shown (${sql.join(columns.map((column) => sql.ref(column)))})`
}

/** Inserts findings that the environment does not have, in one statement. */
export async function insertFindings(
  trx: Trx,
  shown: readonly ShownFinding[],
  { companyId, environmentId, versionId }: SeenIn,
): Promise<void> {
  if (shown.length === 0) return
  const rows = shown.map((each) => ({ ...each, id: newId('securityFinding') }))
  const columns = ['id', ...identity, ...details] as const
  const names = sql.join(columns.map((column) => sql.ref(column)))
  await sql`
    insert into security_findings (company_id, environment_id, first_version_id, last_version_id, ${names})
    select ${companyId}, ${environmentId}, ${versionId}, ${versionId}, ${names} from ${rowsOf(rows, columns)}
  `.execute(trx)
  const ids = rows.map(({ id }) => id)
  await recordAllCreated(trx, { machine: findingMachine, companyId, ids })
}

/** Records that a version has the findings, and updates their details, in one statement. */
export async function recordSeen(
  trx: Trx,
  shown: readonly ShownFinding[],
  { companyId, environmentId, versionId }: SeenIn,
): Promise<void> {
  const assignments = details.map((column) => sql`${sql.ref(column)} = shown.${sql.ref(column)}`)
  await sql`
    update security_findings f
    set ${sql.join(assignments)}, last_version_id = ${versionId}, last_seen_at = now()
    from ${rowsOf(shown, ['fingerprint', ...details])}
    where f.company_id = ${companyId} and f.environment_id = ${environmentId}
      and f.fingerprint = shown.fingerprint and f.state <> 'closed'
  `.execute(trx)
}

/** `moveFinding` of all findings of an environment that the condition selects. They keep a block. */
const moveAll = (trx: Trx, of: OfEnvironment, to: FindingState, where: RawBuilder<unknown>): Promise<void> =>
  transitionAll(
    trx,
    {
      table: 'security_findings',
      machine: findingMachine,
      to,
      set: { state_changed_at: sql`now()` },
    },
    {
      companyId: of.companyId,
      where: sql<SqlBool>`environment_id = ${of.environmentId} and ${where}`,
    },
  )

/** Moves resolved findings that occur again. */
export async function reopen(
  trx: Trx,
  of: OfEnvironment,
  ids: readonly string[],
  to: 'excepted' | 'reappeared' | 'blocked',
): Promise<void> {
  if (ids.length > 0) await moveAll(trx, of, to, sql`id = any(${ids}::text[]) and state = 'resolved'`)
}

/** As the index of open findings has it. */
const isOpen = sql`state in (${sql.join(openFindingStates.map((state) => sql.lit(state)))})`

/** Resolves the open findings of these kinds that are not among the fingerprints. */
export const resolveOthers = (
  trx: Trx,
  of: OfEnvironment,
  { kinds, fingerprints }: { kinds: readonly FindingKind[]; fingerprints: readonly string[] },
): Promise<void> =>
  moveAll(
    trx,
    of,
    'resolved',
    sql`${isOpen} and kind = any(${kinds}::text[]) and fingerprint <> all(${fingerprints}::text[])`,
  )

/** Resolves the open findings beyond `limit` that were seen longest ago. */
export async function resolveLongestUnseen(trx: Trx, of: OfEnvironment, limit: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from security_findings
    where company_id = ${of.companyId} and environment_id = ${of.environmentId} and ${isOpen}
    order by last_seen_at desc, id offset ${limit}
  `.execute(trx)
  if (rows.length === 0) return
  await moveAll(trx, of, 'resolved', sql`id = any(${rows.map(({ id }) => id)}::text[])`)
}

/** Most severe first. `after` is the sort position of the last row of the previous page. */
export async function listFindingRows(
  db: Executing,
  of: OfEnvironment,
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

/** Ends the block of a finding that is resolved. False if it has none. */
export async function clearBlock(trx: Trx, finding: Pick<FindingRow, 'id' | 'company_id'>): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('security_findings')
    .set({ block_reason: null })
    .where('id', '=', finding.id)
    .where('company_id', '=', finding.company_id)
    .where('state', '=', 'resolved')
    .where('block_reason', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

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

/**
 * Deletes findings that were resolved or closed before that time and have neither an exception nor a block, the oldest
 * first, with their history.
 */
export async function deleteOldFindings(trx: Trx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{
    id: string
    company_id: string
  }>`${acrossCompanies('a sweep of all companies')}
    delete from security_findings where id in (
      select f.id from security_findings f
      where f.state in ('resolved', 'closed') and f.state_changed_at < ${before} and f.block_reason is null
        and not exists (select from security_exceptions x where x.finding_id = f.id)
      order by f.state_changed_at limit ${limit} for update skip locked
    ) returning id, company_id
  `.execute(trx)
  await deleteEventsOf(trx, findingMachine, rows)
  return rows.length
}
