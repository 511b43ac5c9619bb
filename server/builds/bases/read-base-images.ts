import type { BaseImageList } from '@sandbox-jobs/contract/resources/builds/base-image.ts'
import type { Database } from '../../db/database.ts'
import { defaultRegistry, type RegistrySettings } from '../../images/registries.ts'
import { listBaseImageRows } from './base-image-store.ts'

export interface BaseImageContext {
  db: Database
  registries: Pick<RegistrySettings, 'registry' | 'publicRegistries'>
}

/** Images that Dockerfiles of every company can start from. */
export async function readBaseImages({ db, registries }: BaseImageContext): Promise<BaseImageList> {
  const rows = await listBaseImageRows(db)
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
