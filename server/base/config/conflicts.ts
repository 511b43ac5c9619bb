import { relative } from 'node:path'
import { isSecureAddress } from '../addresses/secure-address.ts'
import type { BackupConfig } from './backup-settings.ts'
import type { CapacityConfig } from './capacity-settings.ts'
import type { DatabaseConfig } from './database-settings.ts'
import type { KubernetesConfig } from './kubernetes-settings.ts'
import type { LoginConfig } from './login-settings.ts'
import type { OperatorConfig } from './operator-settings.ts'
import type { SecretKeyConfig } from './secret-key-settings.ts'
import type { ServiceConfig } from './service-settings.ts'
import type { StorageConfig } from './storage-settings.ts'

type Compared = BackupConfig &
  CapacityConfig &
  DatabaseConfig &
  KubernetesConfig &
  LoginConfig &
  OperatorConfig &
  SecretKeyConfig &
  ServiceConfig &
  StorageConfig

/** Settings that are valid alone and cannot be used together. */
const conflicts: { problem: string; isIn: (config: Compared) => boolean }[] = [
  {
    problem:
      'SANDBOX_API_DATABASE_URL and SANDBOX_WORKER_DATABASE_URL go together, and with DATABASE_URL, which owns the schema',
    isIn: ({ databaseUrl: owner, apiDatabaseUrl: api, workerDatabaseUrl: worker }) =>
      Boolean(api) !== Boolean(worker) || (Boolean(api) && !owner),
  },
  {
    problem:
      'SANDBOX_OPERATOR_DATABASE_URL needs SANDBOX_API_DATABASE_URL, and is required if both SANDBOX_API_DATABASE_URL and SANDBOX_OPERATOR_LISTEN are set',
    isIn: ({ apiDatabaseUrl: api, operatorDatabaseUrl: operator, operatorListen }) =>
      (Boolean(operator) && !api) || (operatorListen !== undefined && Boolean(api) && !operator),
  },
  {
    problem:
      'SANDBOX_S3_BUCKET needs SANDBOX_COMPANY_STORAGE_BYTES: a bucket has no size of which a company could get a part',
    isIn: ({ s3Bucket, companyStorageBytes }) => s3Bucket !== undefined && companyStorageBytes === undefined,
  },
  {
    problem: 'SANDBOX_SESSION_BYTES must be at most SANDBOX_SESSION_MAX_BYTES',
    isIn: ({ sessionBytes, sessionMaxBytes }) => sessionBytes > sessionMaxBytes,
  },
  {
    problem: 'SANDBOX_SECRET_KEYS=vault needs SANDBOX_VAULT_ADDRESS and SANDBOX_VAULT_TOKEN_FILE',
    isIn: ({ secretKeys, vaultAddress, vaultTokenFile }) =>
      secretKeys === 'vault' && (!vaultAddress || !vaultTokenFile),
  },
  {
    problem:
      'SANDBOX_JWT_MCP_AUDIENCE must differ from SANDBOX_JWT_AUDIENCE: a token that names both is refused',
    isIn: ({ jwtAudience, jwtMcpAudience }) => jwtAudience === jwtMcpAudience,
  },
  {
    problem:
      'SANDBOX_OIDC_CLIENT_ID must differ from SANDBOX_JWT_MCP_AUDIENCE: a token about who signed in would let an agent act',
    isIn: ({ oidcClientId, jwtMcpAudience }) => oidcClientId !== undefined && oidcClientId === jwtMcpAudience,
  },
  {
    problem:
      'SANDBOX_OIDC_CLIENT_ID needs SANDBOX_JWT_ISSUER, with https:// unless the provider is on this machine',
    isIn: ({ oidcClientId, jwtIssuer }) =>
      oidcClientId !== undefined && (jwtIssuer === undefined || !isSecureAddress(new URL(jwtIssuer))),
  },
  {
    problem:
      'SANDBOX_KUBERNETES_SERVER needs SANDBOX_KUBERNETES_CREDENTIALS, SANDBOX_KUBERNETES_GATEWAY, SANDBOX_KUBERNETES_COLLECTOR and SANDBOX_KUBERNETES_IMAGES',
    isIn: ({ kubernetesServer: server, ...config }) =>
      server !== undefined &&
      [
        config.kubernetesCredentials,
        config.kubernetesGateway,
        config.kubernetesCollector,
        config.kubernetesImages,
      ].includes(undefined),
  },
  {
    problem: 'SANDBOX_BACKUP_REMOTE and SANDBOX_BACKUP_REMOTE_FILE go together',
    isIn: ({ backupRemote, backupRemoteFile }) => Boolean(backupRemote) !== Boolean(backupRemoteFile),
  },
  {
    problem: 'SANDBOX_BACKUP_WAL_BYTES needs SANDBOX_BACKUP_FOLDER',
    isIn: ({ backupWalBytes, backupFolder }) => backupWalBytes !== undefined && backupFolder === undefined,
  },
  {
    problem:
      'SANDBOX_BACKUP_WAL_BYTES and SANDBOX_BACKUP_REMOTE exclude each other: the archive is not copied to a bucket',
    isIn: ({ backupWalBytes, backupRemote }) => backupWalBytes !== undefined && backupRemote !== undefined,
  },
  {
    problem: 'SANDBOX_BACKUP_FOLDER must not be in SANDBOX_DATA, which it is to replace',
    isIn: ({ backupFolder, dataDir }) =>
      backupFolder !== undefined && !/^\.\.(\/|$)/.test(relative(dataDir, backupFolder)),
  },
]

/** The problems of settings that were read. */
export const conflictsIn = (config: Compared): string[] =>
  conflicts.filter(({ isIn }) => isIn(config)).map(({ problem }) => problem)
