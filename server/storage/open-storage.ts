import { join } from 'node:path'
import type { Config } from '../base/config/config.ts'
import type { StorageConfig } from '../base/config/storage-settings.ts'
import { DiskStorage } from './disk.ts'
import type { ServiceStorage } from './port.ts'
import type { BucketConfig } from './s3/s3-client.ts'

type StorageSettings = Pick<Config, 'dataDir' | 'diskFloorBytes'> & StorageConfig

/** The storage that the settings name: a bucket, or the data folder. */
export async function openStorage(config: StorageSettings): Promise<ServiceStorage> {
  const { s3Bucket, dataDir, diskFloorBytes } = config
  if (s3Bucket !== undefined) return openBucket({ ...config, s3Bucket })
  return new DiskStorage(join(dataDir, 'objects'), diskFloorBytes)
}

/** Where the objects are, in a few words. */
export const storageName = ({
  s3Bucket,
  s3Endpoint,
  s3Region,
  s3Prefix,
  dataDir,
}: StorageSettings): string =>
  s3Bucket === undefined
    ? `disk, ${join(dataDir, 'objects')}`
    : `bucket ${[s3Bucket, s3Prefix].filter(Boolean).join('/')} of ${s3Endpoint ?? s3Region}`

/** The bucket of the objects; undefined: they are in the data folder. */
export const bucketName = (config: StorageSettings): string | undefined =>
  config.s3Bucket === undefined ? undefined : storageName(config)

export interface BucketProblem {
  message: string
  /** A name, a credential or a right is wrong; otherwise the store may work at the next try. */
  isRefusal: boolean
}

/** Why the bucket of the settings cannot be used; undefined if it can, or there is none. */
export async function bucketProblem(config: StorageSettings): Promise<BucketProblem | undefined> {
  const { s3Bucket } = config
  if (s3Bucket === undefined) return undefined
  const found = await problemOf({ ...config, s3Bucket })
  const message = `SANDBOX_S3_BUCKET: the ${storageName(config)} cannot be used: ${found?.reason}`
  return found && { message, isRefusal: found.isRefusal }
}

async function problemOf(config: BucketConfig) {
  try {
    return await (await openBucket(config)).problem()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return { reason: error.message, isRefusal: true }
    throw error
  }
}

/** The client of S3 is loaded by services that use it alone: it takes 40 MiB. */
async function openBucket(config: BucketConfig) {
  const { S3Storage } = await import('./s3/s3-storage.ts')
  return new S3Storage(config)
}
