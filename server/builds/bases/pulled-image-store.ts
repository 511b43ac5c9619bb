import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import { keptLimitOf } from '../../db/kept-bytes.ts'
import { isDue } from '../../queue/removal-failures.ts'

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

/** `pulledBy` is whose build had it pulled: it counts to that company, whoever uses it. */
export async function notePulledImage(db: Executing, image: PulledImage, pulledBy: string): Promise<void> {
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
 * What no build has used since `before`, and what a company had pulled beyond `companyBytes` or a quarter of what it may
 * keep, the longest unused first.
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

/** Takes its row out unless a build has used it since; until the transaction ends no build finds it. */
export async function takePulledImage(trx: Trx, image: ImageName & { usedAt: Date }): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pulled_images')
    .where('scope', '=', image.scope)
    .where('digest', '=', image.digest)
    // The column is finer than the clock of who read it.
    .where('used_at', '<', new Date(image.usedAt.getTime() + 1))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
