import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/** An image of a registry: the layers of a version, with the platform's layer above them. */
export interface ComposedImage {
  /** Under which a host would install the layers. */
  installedDigest: string
  /** Of the platform's layer, uncompressed. */
  runnerDigest: string
  /** `REGISTRY/NAME`. */
  repository: string
}

export async function recordComposed(db: Executing, image: ComposedImage, digest: string): Promise<void> {
  await db
    .insertInto('composed_images')
    .values({
      installed_digest: image.installedDigest,
      runner_digest: image.runnerDigest,
      repository: image.repository,
      digest,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['installed_digest', 'runner_digest', 'repository'])
        .doUpdateSet({ digest, pushed_at: sql`now()` }),
    )
    .execute()
}

/** The digest of its manifest; undefined if it was never pushed. */
export async function findComposed(db: Executing, image: ComposedImage): Promise<string | undefined> {
  const row = await db
    .selectFrom('composed_images')
    .select('digest')
    .where('installed_digest', '=', image.installedDigest)
    .where('runner_digest', '=', image.runnerDigest)
    .where('repository', '=', image.repository)
    .executeTakeFirst()
  return row?.digest
}
