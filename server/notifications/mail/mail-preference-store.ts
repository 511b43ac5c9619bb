import type { Executing } from '../../db/database.ts'

/** Writes the table `mail_preferences`, and reads the addresses of users. */

export interface MailRecipient {
  user_id: string
  company_id: string
  email: string | null
  muted: string[]
}

/** Those of the users who may log in. */
export async function listMailRecipients(
  db: Executing,
  companyIds: readonly string[],
  userIds: readonly string[],
): Promise<MailRecipient[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('users as u')
    .leftJoin('mail_preferences as p', (join) =>
      join.onRef('p.user_id', '=', 'u.id').onRef('p.company_id', '=', 'u.company_id'),
    )
    .select(['u.id as user_id', 'u.company_id', 'u.email', 'p.muted'])
    .where('u.id', 'in', userIds)
    .where('u.company_id', 'in', companyIds)
    .where('u.disabled_at', 'is', null)
    .execute()
  return rows.map((row) => ({ ...row, muted: row.muted ?? [] }))
}

export const putMuted = (
  db: Executing,
  of: { companyId: string; userId: string },
  muted: readonly string[],
): Promise<unknown> =>
  db
    .insertInto('mail_preferences')
    .values({ user_id: of.userId, company_id: of.companyId, muted: [...muted] })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ muted: [...muted] })
        .where('mail_preferences.company_id', '=', of.companyId),
    )
    .execute()
