import { createHmac, createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keepFirst, readOrMake } from './key-files.ts'
import { StoredPeppers } from './peppers.ts'
import { StoredTokenKeys } from './token-keys.ts'

/**
 * Keys of the deployment, kept in files beside the database and never in it: who has only the database can
 * neither log in, nor guess an API key or a link.
 */
export interface Keys {
  /** Of login tokens. */
  tokens: StoredTokenKeys
  /** Of stored API keys. */
  peppers: StoredPeppers
  /**
   * RSA, 3072 bits: opens what clients encrypt for the service. Made when it is first asked for, which takes a second
   * of another thread; rejects when it can be neither read nor kept.
   */
  transit(): Promise<KeyObject>
  /** Root of the derived keys below. */
  derive(
    purpose: 'page-token' | 'public-link' | 'upload-capability' | 'download-capability' | 'login-attempt',
  ): Buffer
}

const names = { transit: 'transit-rsa.pem', root: 'root.key' }
const transitBits = 3072

/** Where the API's keys of a data folder are: apart from those that images are signed with, which the worker has. */
export const keysFolder = (dataDir: string): string => join(dataDir, 'keys/api')

/** Reads the keys of `folder`, making what is missing. Files are for their owner alone. */
export function openKeys(folder: string): Keys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const root = Buffer.from(
    readOrMake(join(folder, names.root), () => randomBytes(32).toString('hex')).trim(),
    'hex',
  )
  if (root.length !== 32) throw new Error(`${join(folder, names.root)} must hold 64 hex digits`)
  const derive = (purpose: string) => createHmac('sha256', root).update(purpose).digest()
  return {
    tokens: new StoredTokenKeys(folder),
    peppers: new StoredPeppers(folder, derive('api-key')),
    transit: once(() => openTransitKey(join(folder, names.transit))),
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

/** Works once for everyone who asks; after a failure, whoever asks next has it tried again. */
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
