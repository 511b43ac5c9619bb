import type { OperatorAccess } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/* Writes the tables `operator_codes` and `operator_sign_ins`. */

export interface OperatorSignInRow {
  account: string
  access: OperatorAccess
  created_at: Date
  last_used_at: Date
  expires_at: Date
}

/** Also deletes codes whose time is over. */
export async function insertCode(
  db: Executing,
  code: { hash: Buffer; account: string; access: OperatorAccess; expiresAt: Date },
  now: Date,
): Promise<void> {
  await sql`
    with dropped as (delete from operator_codes where expires_at <= ${now})
    insert into operator_codes (code_hash, account, access, expires_at)
    values (${code.hash}, ${code.account}, ${code.access}, ${code.expiresAt})
  `.execute(db)
}

/** Deletes the code and inserts the sign-in of its account. Undefined and no sign-in for a code that is unknown, was used or is too old. */
export async function spendCode(
  db: Executing,
  codeHash: Buffer,
  signIn: { tokenHash: Buffer; now: Date; expiresAt: Date },
): Promise<OperatorSignInRow | undefined> {
  const { rows } = await sql<OperatorSignInRow>`
    with spent as (delete from operator_codes where code_hash = ${codeHash} returning account, access, expires_at)
    insert into operator_sign_ins (token_hash, account, access, created_at, last_used_at, expires_at)
    select ${signIn.tokenHash}, account, access, ${signIn.now}, ${signIn.now}, ${signIn.expiresAt}
    from spent where expires_at > ${signIn.now}
    returning account, access, created_at, last_used_at, expires_at
  `.execute(db)
  return rows[0]
}

/** Deletes sign-ins whose time is over, and all but the `kept` that were used last. */
export async function dropOldOperatorSignIns(db: Executing, now: Date, kept: number): Promise<void> {
  await sql`
    delete from operator_sign_ins where expires_at <= ${now} or token_hash in (
      select token_hash from operator_sign_ins order by last_used_at desc, token_hash offset ${kept})
  `.execute(db)
}

export async function findOperatorSignIn(
  db: Executing,
  tokenHash: Buffer,
  now: Date,
): Promise<OperatorSignInRow | undefined> {
  const { rows } = await sql<OperatorSignInRow>`
    select account, access, created_at, last_used_at, expires_at from operator_sign_ins
    where token_hash = ${tokenHash} and expires_at > ${now}
  `.execute(db)
  return rows[0]
}

export async function touchOperatorSignIn(
  db: Executing,
  tokenHash: Buffer,
  use: { now: Date; expiresAt: Date },
): Promise<void> {
  await sql`
    update operator_sign_ins set last_used_at = ${use.now}, expires_at = ${use.expiresAt}
    where token_hash = ${tokenHash} and last_used_at < ${use.now}
  `.execute(db)
}

export async function deleteOperatorSignIn(db: Executing, tokenHash: Buffer): Promise<void> {
  await sql`delete from operator_sign_ins where token_hash = ${tokenHash}`.execute(db)
}

/** Also deletes all codes. Resolves with the number of sign-ins that had not ended. */
export async function deleteAllOperatorSignIns(db: Executing, now: Date): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    with codes as (delete from operator_codes),
      ended as (delete from operator_sign_ins returning expires_at)
    select count(*) filter (where expires_at > ${now}) as ended from ended
  `.execute(db)
  return Number(rows[0]?.ended ?? 0)
}
