import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/*
 * Base images that were pulled, by the digest of their manifest. One that anybody could have pulled is every company's;
 * one that the operator's login gave is only of the company whose build asked for it.
 */

export const sharedScope = 'shared'

export interface PulledImage {
  scope: string
  digest: string
  objectDigest: string
  byteSize: number
}

/** Where the tar of a pulled image is stored. */
export const pulledImageKey = ({ scope, digest }: Pick<PulledImage, 'scope' | 'digest'>): string =>
  `pulled/${scope}/${digest.slice('sha256:'.length)}.tar`

/** What the company may build on, noted as used. */
export async function findPulledImage(
  db: Executing,
  by: { companyId: string; digest: string },
): Promise<PulledImage | undefined> {
  const { rows } = await sql<PulledImage>`
    update pulled_images set used_at = now()
    where digest = ${by.digest} and scope in (${sharedScope}, ${by.companyId})
    returning scope, digest, object_digest as "objectDigest", byte_size as "byteSize"
  `.execute(db)
  return rows[0]
}

export async function notePulledImage(db: Executing, image: PulledImage): Promise<void> {
  const { scope, digest, objectDigest: object_digest, byteSize: byte_size } = image
  await db
    .insertInto('pulled_images')
    .values({ scope, digest, object_digest, byte_size })
    .onConflict((conflict) =>
      conflict.columns(['scope', 'digest']).doUpdateSet({ object_digest, byte_size, used_at: sql`now()` }),
    )
    .execute()
}

export async function forgetPulledImage(
  db: Executing,
  { scope, digest }: Pick<PulledImage, 'scope' | 'digest'>,
): Promise<void> {
  await db.deleteFrom('pulled_images').where('scope', '=', scope).where('digest', '=', digest).execute()
}

/** Takes rows that no build has used since `before` out, and answers them. */
export async function takeStalePulledImages(
  db: Executing,
  before: Date,
  limit: number,
): Promise<Pick<PulledImage, 'scope' | 'digest'>[]> {
  const { rows } = await sql<Pick<PulledImage, 'scope' | 'digest'>>`
    delete from pulled_images where (scope, digest) in (
      select scope, digest from pulled_images where used_at < ${before} limit ${limit}
    )
    returning scope, digest
  `.execute(db)
  return rows
}
