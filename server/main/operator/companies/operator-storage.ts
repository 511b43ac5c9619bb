import { join } from 'node:path'
import {
  type CompanyStorageUsage,
  type Drift,
  listLargestCompanies,
  recountKeptBytes,
} from '../../../companies/storage/kept-bytes-store.ts'
import { type DiskSize, diskOf } from '../../../storage/free-space.ts'
import { actOnService, onLocalService, type ServiceRefusal } from '../local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

export interface StorageOverview {
  disk: DiskSize
  companies: CompanyStorageUsage[]
}

/** The disk of the data folder, and the companies that use the most. */
export const showStorage = (limit: number): Outcome<StorageOverview> =>
  onLocalService(async ({ db, config }) => ({
    disk: await diskOf(join(config.dataDir, 'objects')),
    companies: await listLargestCompanies(db, limit),
  }))

/** Compares the counted bytes with the stored rows and corrects the count. */
export const recountStorage = (): Outcome<Drift[]> =>
  actOnService({ act: 'storage_recount', subject: 'all companies', details: {} }, ({ db }) =>
    recountKeptBytes(db),
  )
