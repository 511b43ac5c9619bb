import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Keys of the deployment, kept in files beside the database and never in it: who has only the database can
 * neither log in, nor guess an API key or a link.
 */
export interface Keys {
  /** Ed25519, signs login tokens. */
  tokenPrivate: KeyObject
  tokenPublic: KeyObject
  tokenKeyId: string
  /** Root of the derived keys below. */
  derive(
    purpose: 'api-key' | 'page-token' | 'public-link' | 'upload-capability' | 'download-capability',
  ): Buffer
}

const names = { token: 'token-signing.pem', root: 'root.key' }

/** Reads the keys of `folder`, making what is missing. Files are for their owner alone. */
export function openKeys(folder: string): Keys {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pem = readOrMake(join(folder, names.token), () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  const root = Buffer.from(
    readOrMake(join(folder, names.root), () => randomBytes(32).toString('hex')).trim(),
    'hex',
  )
  if (root.length !== 32) throw new Error(`${join(folder, names.root)} must hold 64 hex digits`)
  const tokenPrivate = createPrivateKey(pem)
  const tokenPublic = createPublicKey(tokenPrivate)
  const tokenKeyId = createHmac('sha256', 'key-id')
    .update(tokenPublic.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
  return {
    tokenPrivate,
    tokenPublic,
    tokenKeyId,
    derive: (purpose) => createHmac('sha256', root).update(purpose).digest(),
  }
}

/** Written aside and linked into place, so that of two processes that start at once both read one whole file. */
function readOrMake(path: string, make: () => string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8')
  const part = `${path}.${process.pid}`
  writeFileSync(part, make(), { mode: 0o600 })
  try {
    linkSync(part, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(part)
  }
  return readFileSync(path, 'utf8')
}
