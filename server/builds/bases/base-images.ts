import { isDeepStrictEqual } from 'node:util'
import type { BaseImageList } from '@sandbox-jobs/contract/resources/builds/base-image.ts'
import { ExecutorRefused } from '../../../agent/port/errors.ts'
import type { PlatformPort, StoredBase } from '../../../agent/port/platform.ts'
import type { Database } from '../../db/database.ts'
import { defaultRegistry, type RegistrySettings } from '../../images/registries.ts'
import {
  type BaseImageRow,
  listBaseImages,
  listBaseImagesOf,
  maxBaseImages,
  replaceBaseImages,
} from './base-image-store.ts'
import { offeredBases } from './offered-bases.ts'

export interface BaseImageContext {
  db: Database
  registries: Pick<RegistrySettings, 'registry' | 'publicRegistries'>
}

/** Images that Dockerfiles of every company can start from. */
export async function readBaseImages({ db, registries }: BaseImageContext): Promise<BaseImageList> {
  const rows = await listBaseImages(db)
  return {
    items: rows.map(({ made_at, ...row }) => ({
      ...row,
      tag: row.name.split(':')[1] ?? 'latest',
      made_at: made_at?.toISOString() ?? null,
    })),
    registry: defaultRegistry(registries) ?? null,
    other_registries: registries.publicRegistries,
  }
}

/**
 * Makes the base images of an executor in the database equal to what its builds started now find, for the API, which cannot ask
 * the executor. Returns their number if it changed.
 */
export async function publishBaseImages({
  db,
  executorId,
  executor,
}: {
  db: Database
  executorId: string
  executor: Pick<PlatformPort, 'builder'>
}): Promise<{ published: number }> {
  const rows = (await basesOf(executor)).slice(0, maxBaseImages).map(rowOf)
  if (isDeepStrictEqual(await listBaseImagesOf(db, executorId), rows)) return { published: 0 }
  await replaceBaseImages(db, executorId, rows)
  return { published: rows.length }
}

async function basesOf(executor: Pick<PlatformPort, 'builder'>): Promise<StoredBase[]> {
  try {
    return offeredBases(await executor.builder())
  } catch (error) {
    // Without a builder nothing can be built on them.
    if (error instanceof ExecutorRefused && error.slug === 'builder_missing') return []
    throw error
  }
}

const rowOf = ({ name, digest, made }: StoredBase): BaseImageRow => ({
  name,
  digest,
  preset: made?.preset ?? null,
  debian: made?.debian ?? null,
  languages: made?.languages ?? [],
  packages: made?.packages ?? [],
  byte_size: made?.byteSize ?? null,
  made_at: made ? new Date(made.madeAt) : null,
})
