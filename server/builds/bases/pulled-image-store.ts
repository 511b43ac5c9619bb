import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import { keptLimitOf } from '../../db/kept-bytes.ts'
import { isDue } from '../../work/removal.ts'

/*
 * Pulled base images, by the digest of their manifest. An image that was pulled without a login is shared by all
 * companies; one that was pulled with the operator's login belongs to the company whose build requested it.
 */

export const sharedScope = 'shared'

export interface PulledImage {
  scope: string
  digest: string
  objectDigest: string
  byteSize: number
}

/** Storage key of the tar of a pulled image. */
export const pulledImageKey = ({ scope, digest }: Pick<PulledImage, 'scope' | 'digest'>): string =>
  `pulled/${scope}/${digest.slice('sha256:'.length)}.tar`

/** Finds a pulled image that the company may use, and records the use. */
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

/** `pulledBy` is the company whose build pulled the image. Its bytes count to that company, whichever company uses it. */
export async function recordPulledImage(db: Executing, image: PulledImage, pulledBy: string): Promise<void> {
  const { scope, digest, objectDigest: object_digest, byteSize: byte_size } = image
  await db
    .insertInto('pulled_images')
    .values({ scope, digest, object_digest, byte_size, pulled_by: pulledBy })
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

type ImageName = Pick<PulledImage, 'scope' | 'digest'>

export const pulledImageId = ({ scope, digest }: ImageName): string => `pulled:${scope}:${digest}`

/**
 * Images that no build has used since `before`, and images of a company beyond `companyBytes` or a quarter of its storage
 * limit, the least recently used first.
 */
export async function listStalePulledImages(
  db: Executing,
  { before, now, companyBytes, limit }: { before: Date; now: Date; companyBytes: number; limit: number },
): Promise<(ImageName & { usedAt: Date })[]> {
  const { rows } = await sql<ImageName & { usedAt: Date }>`
    select scope, digest, used_at as "usedAt" from (
      select scope, digest, used_at, pulled_by,
        sum(byte_size) over (partition by pulled_by order by used_at desc, scope, digest) as bytes
      from pulled_images
    ) as newest
    where (used_at < ${before} or (pulled_by is not null and bytes > least(${companyBytes}::bigint, coalesce(${keptLimitOf(sql`newest.pulled_by`)} / 4, ${companyBytes}::bigint))))
      and ${isDue(sql`'pulled:' || scope || ':' || digest`, now)}
    order by used_at limit ${limit}
  `.execute(db)
  return rows
}

/** Deletes the row unless a build has used the image since. Until the transaction ends no build finds it. */
export async function deleteIfUnused(trx: Trx, image: ImageName & { usedAt: Date }): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pulled_images')
    .where('scope', '=', image.scope)
    .where('digest', '=', image.digest)
    // The column has microseconds, a Date only milliseconds.
    .where('used_at', '<', new Date(image.usedAt.getTime() + 1))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
