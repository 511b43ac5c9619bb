import { join } from 'node:path'
import {
  type Drift,
  type KeptCompany,
  listGreediest,
  recountKeptBytes,
} from '../settings/kept-bytes-store.ts'
import { type DiskSize, diskOf } from '../storage/free-space.ts'
import { actOnService, onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

export interface StorageOverview {
  disk: DiskSize
  companies: KeptCompany[]
}

/** The disk of the data folder, and who keeps the most. */
export const showStorage = (limit: number): Outcome<StorageOverview> =>
  onLocalService(async ({ db, config }) => ({
    disk: await diskOf(join(config.dataDir, 'objects')),
    companies: await listGreediest(db, limit),
  }))

/** Compares what was counted with what is there, and corrects the count. */
export const recountStorage = (): Outcome<Drift[]> =>
  actOnService({ act: 'storage_recount', subject: 'all companies', details: {} }, ({ db }) =>
    recountKeptBytes(db),
  )
