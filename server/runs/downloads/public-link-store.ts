import type { Selectable } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { PublicLinksTable } from '../../db/tables/runs.ts'

/** Writes the table `public_links`. */

export type PublicLinkRow = Selectable<PublicLinksTable>
export type LinkKind = PublicLinkRow['object_kind']

export interface LinkSubject {
  company_id: string
  run_id: string
  object_kind: LinkKind
  artifact_id: string | null
}

/** False when the subject has a live link already. */
export async function insertLink(
  db: Executing,
  link: LinkSubject & { id: string; token_hash: Buffer; created_by: string },
): Promise<boolean> {
  const row = await db
    .insertInto('public_links')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The live link of a subject, or the last one it had. */
export function findLink(
  db: Executing,
  subject: LinkSubject,
  state: 'live' | 'latest',
): Promise<PublicLinkRow | undefined> {
  let query = db
    .selectFrom('public_links')
    .selectAll()
    .where('company_id', '=', subject.company_id)
    .where('run_id', '=', subject.run_id)
    .where('object_kind', '=', subject.object_kind)
    .where('artifact_id', subject.artifact_id === null ? 'is' : '=', subject.artifact_id)
  if (state === 'live') query = query.where('revoked_at', 'is', null)
  return query.orderBy('id', 'desc').limit(1).executeTakeFirst()
}

export const findLinkById = (
  db: Executing,
  run: { id: string; company_id: string },
  id: string,
): Promise<PublicLinkRow | undefined> =>
  db
    .selectFrom('public_links')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', run.company_id)
    .where('run_id', '=', run.id)
    .executeTakeFirst()

export async function revokeLink(
  db: Executing,
  link: Pick<PublicLinkRow, 'id' | 'company_id'>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('public_links')
    .set({ revoked_at: at })
    .where('id', '=', link.id)
    .where('company_id', '=', link.company_id)
    .where('revoked_at', 'is', null)
    .execute()
}

const listedAtOnce = 1000

/** Live links of all companies by id, a thousand at most. */
export const listLiveLinksOfAll = (
  db: Executing,
  afterId: string,
): Promise<Pick<PublicLinkRow, 'id' | 'company_id' | 'token_hash'>[]> =>
  db
    .selectFrom('public_links')
    .modifyFront(acrossCompanies('a retired key ends links of all companies'))
    .select(['id', 'company_id', 'token_hash'])
    .where('revoked_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(listedAtOnce)
    .execute()

/** The one query that reads a link without its company: the token is the authority. */
export const findLiveLinkByToken = (db: Executing, tokenHash: Buffer): Promise<PublicLinkRow | undefined> =>
  db
    .selectFrom('public_links')
    .modifyFront(acrossCompanies('the token is the authority and finds the company'))
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
