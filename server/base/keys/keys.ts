import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepFirst } from './key-files.ts'
import { StoredPeppers } from './peppers.ts'
import { DerivedKeys, deriveKey, type MacKeys, RotatedKey } from './rotated-key.ts'
import { StoredTokenKeys } from './token-keys.ts'
import { TransitKeys } from './transit-keys.ts'

/**
 * Keys of the deployment, stored in files and never in the database: the database alone is not enough to log in, or
 * to guess an API key or a link.
 */
export interface Keys {
  /**
   * Names the deployment in what it signs. Every API process has the same, a restored backup and a rotation keep it, and it does
   * not depend on the address of the service.
   */
  deployment: string
  /** Keys of login tokens. */
  tokens: StoredTokenKeys
  /** Keys of expiring links. */
  links: StoredTokenKeys
  /** Peppers of stored API keys. */
  peppers: StoredPeppers
  /** Keys that decrypt values that clients encrypt for the service. */
  transit: TransitKeys
  /**
   * Pepper for comparing requests that write secrets. Its file is created at the first use; `live` throws `KeyFileDamaged` when
   * it is invalid.
   */
  secretPepper: RotatedKey
  /** Root of the derived keys below. */
  root: RotatedKey
  derive(
    purpose:
      | 'page-token'
      | 'public-link'
      | 'upload-capability'
      | 'download-capability'
      | 'login-attempt'
      | 'oauth',
  ): MacKeys
  /**
   * Makes the next root key. The name of the deployment and the first pepper, which are derived from the first root key and stay
   * the same, are stored before. Throws `FormerKeyLive`.
   */
  rotateRoot(): void
}

/** Folder of the API's keys. The image signing keys are in a different folder, for the worker. */
export const keysFolder = (dataDir: string): string => join(dataDir, 'keys/api')

/** Reads the keys of `folder` and creates missing ones. The files are readable only for their owner. */
export function openKeys(folder: string): Keys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const root = new RotatedKey(folder, 'root')
  const [present] = root.live()
  const deploymentPath = join(folder, 'deployment')
  const deployment = existsSync(deploymentPath)
    ? readFileSync(deploymentPath, 'utf8').trim()
    : `sandbox-jobs:${deriveKey(present, 'deployment').export().toString('hex', 0, 16)}`
  const peppers = new StoredPeppers(folder, deriveKey(present, 'api-key'))
  return {
    deployment,
    tokens: new StoredTokenKeys(folder),
    links: new StoredTokenKeys(folder, 'link'),
    peppers,
    transit: new TransitKeys(folder),
    secretPepper: new RotatedKey(folder, 'secret-pepper'),
    root,
    derive: (purpose) => new DerivedKeys(root, purpose),
    rotateRoot() {
      keepFirst(deploymentPath, `${deployment}\n`)
      peppers.store()
      root.rotate()
    },
  }
}
