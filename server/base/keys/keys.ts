import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOrMakeHexKey } from './hex-key.ts'
import { readOrMake } from './key-files.ts'
import { StoredPeppers } from './peppers.ts'
import { StoredTokenKeys } from './token-keys.ts'
import { TransitKeys } from './transit-keys.ts'

/**
 * Keys of the deployment, stored in files and never in the database: the database alone is not enough to log in, or
 * to guess an API key or a link.
 */
export interface Keys {
  /**
   * Names the deployment in what it signs. Every API process has the same, a restored backup keeps it, and it does not
   * depend on the address of the service.
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
   * Pepper for comparing requests that write secrets. Read at each use and created at the first; throws
   * `KeyFileDamaged` when the file is invalid.
   */
  secretPepper(): KeyObject
  /** Root of the derived keys below. */
  derive(
    purpose:
      | 'page-token'
      | 'public-link'
      | 'upload-capability'
      | 'download-capability'
      | 'login-attempt'
      | 'oauth',
  ): Buffer
}

const names = { root: 'root.key', secretPepper: 'secret-pepper.key' }

/** Folder of the API's keys. The image signing keys are in a different folder, for the worker. */
export const keysFolder = (dataDir: string): string => join(dataDir, 'keys/api')

/** Reads the keys of `folder` and creates missing ones. The files are readable only for their owner. */
export function openKeys(folder: string): Keys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const root = Buffer.from(
    readOrMake(join(folder, names.root), () => randomBytes(32).toString('hex')).trim(),
    'hex',
  )
  if (root.length !== 32) throw new Error(`${join(folder, names.root)} must hold 64 hex digits`)
  const derive = (purpose: string) => createHmac('sha256', root).update(purpose).digest()
  return {
    deployment: `sandbox-jobs:${derive('deployment').toString('hex', 0, 16)}`,
    tokens: new StoredTokenKeys(folder),
    links: new StoredTokenKeys(folder, 'link'),
    peppers: new StoredPeppers(folder, derive('api-key')),
    transit: new TransitKeys(folder),
    secretPepper: () => readOrMakeHexKey(join(folder, names.secretPepper)),
    derive,
  }
}
