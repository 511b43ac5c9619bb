import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { SignedLinksTable } from '../../db/tables/runs.ts'

/* Writes the table `signed_links`. */

export type SignedLinkRow = Selectable<SignedLinksTable>

interface RunKey {
  id: string
  company_id: string
}

/** False when the run has `max` live links already. Links of one run are made one after another. */
export async function insertSignedLink(
  trx: Trx,
  link: Omit<SignedLinkRow, 'created_at' | 'revoked_at'>,
  max: number,
): Promise<SignedLinkRow | undefined> {
  await sql`select from run_contents where run_id = ${link.run_id} and company_id = ${link.company_id} for no key update`.execute(
    trx,
  )
  const { rows } = await sql<SignedLinkRow>`
    insert into signed_links (id, company_id, run_id, purpose, object_kind, artifact_id, created_by, expires_at)
    select ${link.id}, ${link.company_id}, ${link.run_id}, ${link.purpose}, ${link.object_kind}, ${link.artifact_id},
      ${link.created_by}, ${link.expires_at}
    where (select count(*) from signed_links where run_id = ${link.run_id} and company_id = ${link.company_id}
      and revoked_at is null and expires_at > now()) < ${max}
    returning *
  `.execute(trx)
  return rows[0]
}

/** The live link of that id. The one query without a company. */
export const findLiveSignedLink = (db: Executing, id: string): Promise<SignedLinkRow | undefined> =>
  db
    .selectFrom('signed_links')
    .modifyFront(acrossCompanies('the signed token is the authority and finds the company'))
    .selectAll()
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()

export const findSignedLink = (db: Executing, run: RunKey, id: string): Promise<SignedLinkRow | undefined> =>
  db
    .selectFrom('signed_links')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', run.company_id)
    .where('run_id', '=', run.id)
    .executeTakeFirst()

export async function revokeSignedLink(
  db: Executing,
  link: Pick<SignedLinkRow, 'id' | 'company_id'>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('signed_links')
    .set({ revoked_at: at })
    .where('id', '=', link.id)
    .where('company_id', '=', link.company_id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** A link of either kind, as a list shows it. */
export interface ListedLink {
  id: string
  purpose: SignedLinkRow['purpose'] | 'permanent'
  object_kind: SignedLinkRow['object_kind']
  artifact_id: string | null
  created_by: string
  created_at: Date
  /** The same to the microsecond, since 1970. */
  created_at_us: number
  expires_at: Date | null
  /** Of a permanent link. */
  token_hash: Buffer | null
}

/** Live links of a run, newest first by (`created_at`, `id`). Reads `public_links` too. */
export async function listLiveLinks(
  db: Executing,
  run: RunKey,
  page: { before: { createdAtUs: number; id: string } | undefined; limit: number },
): Promise<ListedLink[]> {
  const { before } = page
  const older = before ? sql`(created_at_us, id) < (${before.createdAtUs}::bigint, ${before.id})` : sql`true`
  const { rows } = await sql<ListedLink>`
    select * from (
      select *, (extract(epoch from created_at) * 1000000)::bigint as created_at_us from (
        select id, purpose, object_kind, artifact_id, created_by, created_at, expires_at, null::bytea as token_hash
        from signed_links
        where run_id = ${run.id} and company_id = ${run.company_id} and revoked_at is null and expires_at > now()
        union all
        select id, 'permanent', object_kind, artifact_id, created_by, created_at, null, token_hash from public_links
        where run_id = ${run.id} and company_id = ${run.company_id} and revoked_at is null
      ) links
    ) links
    where ${older} order by created_at_us desc, id desc limit ${page.limit}
  `.execute(db)
  return rows
}

/** Name of the run's task, the title of its page. Reads `tasks`. */
export const findRunOrigin = (
  db: Executing,
  run: RunKey & { task_id: string },
): Promise<{ task_name: string; task_description: string; company_name: string } | undefined> =>
  db
    .selectFrom('tasks')
    .innerJoin('companies', 'companies.id', 'tasks.company_id')
    .select([
      'tasks.name as task_name',
      'tasks.description as task_description',
      'companies.name as company_name',
    ])
    .where('tasks.id', '=', run.task_id)
    .where('tasks.company_id', '=', run.company_id)
    .executeTakeFirst()

const droppedAtOnce = 10_000

/** Removes links whose time has been over for a day. */
export async function dropExpiredLinks(db: Executing): Promise<{ dropped: number }> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from signed_links where id in (
      select id from signed_links where expires_at < now() - interval '1 day' limit ${droppedAtOnce})
  `.execute(db)
  return { dropped: Number(numAffectedRows ?? 0) }
}
