import { absolutePath, type Settings, text, url } from './setting.ts'

/** Where objects are kept: in the data folder, or in a bucket of an S3-compatible store. */
export interface StorageConfig {
  /** Undefined: in the data folder. */
  s3Bucket: string | undefined
  /** Undefined: that of AWS in the region. */
  s3Endpoint: string | undefined
  s3Region: string
  /** Without a slash at either end. */
  s3Prefix: string | undefined
  /** Undefined: the AWS client finds credentials in its usual places. */
  s3CredentialsFile: string | undefined
  s3CaFile: string | undefined
}

export const storageSettings: Settings<StorageConfig> = {
  s3Bucket: {
    env: 'SANDBOX_S3_BUCKET',
    description: 'bucket of an S3-compatible store that objects are kept in, instead of the data folder',
    fallback: () => undefined,
    ...text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
  },
  s3Endpoint: {
    env: 'SANDBOX_S3_ENDPOINT',
    description: 'address of the store; default that of AWS S3 in the region',
    fallback: () => undefined,
    ...url,
  },
  s3Region: {
    env: 'SANDBOX_S3_REGION',
    description: 'region of the bucket',
    fallback: () => 'us-east-1',
    ...text(/^[a-z0-9-]{1,64}$/, 'the name of a region'),
  },
  s3Prefix: {
    env: 'SANDBOX_S3_PREFIX',
    description: 'folder in the bucket, for a bucket that others use too',
    fallback: () => undefined,
    ...text(
      /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*){0,4}$/,
      'a path of small letters, digits, _, . and -',
    ),
  },
  s3CredentialsFile: {
    env: 'SANDBOX_S3_CREDENTIALS_FILE',
    description:
      'file with ACCESS_KEY:SECRET_KEY, readable by the users of API and worker; default the usual places of AWS: variables, a profile, the role of a container or machine',
    fallback: () => undefined,
    ...absolutePath,
  },
  s3CaFile: {
    env: 'SANDBOX_S3_CA_FILE',
    description: "PEM file with the certificate authority of the store; default the system's",
    fallback: () => undefined,
    ...absolutePath,
  },
}
