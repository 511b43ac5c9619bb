import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { systemClock } from '../../base/clock.ts'
import type { StorageConfig } from '../../base/config/storage-settings.ts'

export type BucketConfig = Omit<StorageConfig, 's3Bucket'> & { s3Bucket: string }

const connectMs = 3000
/** Of one request until the head of its answer. */
const answerMs = 20_000
/** Requests of one process at once; others wait for a connection. */
const connectionsMax = 64
/** How long credentials of a file are used before it is read again. */
const credentialsMs = 15 * 60_000

/** A client whose requests end: each has a time-out, and three tries at most. */
export function s3Client(config: BucketConfig): S3Client {
  const { s3Endpoint, s3Region, s3CredentialsFile, s3CaFile } = config
  const agent = { keepAlive: true, maxSockets: connectionsMax }
  return new S3Client({
    region: s3Region,
    // Other stores than that of AWS have no host name for each bucket.
    ...(s3Endpoint !== undefined && { endpoint: s3Endpoint, forcePathStyle: true }),
    ...(s3CredentialsFile !== undefined && { credentials: () => credentialsOf(s3CredentialsFile) }),
    maxAttempts: 3,
    // Other stores accept wrong checksums or refuse their headers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: { ...agent, ...(s3CaFile !== undefined && { ca: readFileSync(s3CaFile) }) },
    },
  })
}

/** The credentials of a file with `ACCESS_KEY:SECRET_KEY`. */
async function credentialsOf(path: string) {
  const line = (await readFile(path, 'utf8')).trim()
  const [accessKeyId = '', ...secret] = line.split(':')
  const expiration = new Date(systemClock.now().getTime() + credentialsMs)
  return { accessKeyId, secretAccessKey: secret.join(':'), expiration }
}
