import { createHmac, createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readOrMakeHexKey } from './hex-key.ts'
import { keepFirst, readOrMake } from './key-files.ts'
import { StoredPeppers } from './peppers.ts'
import { StoredTokenKeys } from './token-keys.ts'

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
  /**
   * RSA, 3072 bits: decrypts values that clients encrypt for the service. Created at the first use, which takes a
   * second on another thread; rejects when it can be neither read nor stored.
   */
  transit(): Promise<KeyObject>
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

const names = { transit: 'transit-rsa.pem', root: 'root.key', secretPepper: 'secret-pepper.key' }
const transitBits = 3072

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
    transit: once(() => openTransitKey(join(folder, names.transit))),
    secretPepper: () => readOrMakeHexKey(join(folder, names.secretPepper)),
    derive,
  }
}

async function openTransitKey(path: string): Promise<KeyObject> {
  const pem = existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, await makeTransitKey())
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'rsa') throw new Error(`${path} must hold an RSA key`)
  return key
}

async function makeTransitKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: transitBits })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Does the work once for all callers; after a failure the next call tries again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let worked: Promise<T> | undefined
  return () => {
    worked ??= work().catch((error: unknown) => {
      worked = undefined
      throw error
    })
    return worked
  }
}
