import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BucketConfig } from '../../server/storage/s3/s3-client.ts'
import { testFolder } from '../apps/test-storage.ts'

/** Settings of a bucket, with the credentials in a file that is removed when the test file is done. */
export function bucketConfig(s3Bucket: string, s3Endpoint: string, credentials = 'key:secret'): BucketConfig {
  const s3CredentialsFile = join(testFolder(), 'credentials')
  writeFileSync(s3CredentialsFile, `${credentials}\n`, { mode: 0o600 })
  return {
    s3Bucket,
    s3Endpoint,
    s3Region: 'us-east-1',
    s3Prefix: 'jobs/test',
    s3CredentialsFile,
    s3CaFile: undefined,
  }
}
