import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { keepFirst, publicMode, readOrMake, removeFile, replaceFile } from './key-files.ts'
import { keyIdOf, PublishedSigningKeys, type TrustedKeys } from './published-signing-keys.ts'

/*
 * The image signing keys: ECDSA on P-256, which cosign, in-toto tools and openssl all verify.
 *
 *   FOLDER/signing.pem    the one private key; a rotation overwrites it, so an old key can sign nothing more
 *
 * All other files in the folder are public (published-signing-keys.ts).
 */

export interface Signature {
  keyId: string
  /** DER, over the sha256 of the bytes. */
  bytes: Buffer
}

/** Folder of the image signing keys of a data folder: next to the other keys, never in a database. */
export const signingKeysFolder = (dataDir: string): string => join(dataDir, 'keys/image-signing')

/** True when the signature names a trusted key and that key made it. */
export function verifySignature(trusted: TrustedKeys, signed: Buffer, signature: Signature): boolean {
  const key = trusted.get(signature.keyId)
  return key !== undefined && verify('sha256', signed, key, signature.bytes)
}

/** The signing keys with their private part, for a process that may read it. */
export class SigningKeys extends PublishedSigningKeys {
  readonly #privatePath: string

  constructor(folder: string) {
    super(folder)
    this.#privatePath = join(folder, 'signing.pem')
  }

  /** Signs with the present key, and creates it if there is none. */
  sign(bytes: Buffer): Signature {
    const key = this.#present()
    return { keyId: keyIdOf(createPublicKey(key)), bytes: sign('sha256', bytes, key) }
  }

  /** Creates the present key if there is none. */
  prepare(): void {
    this.#present()
  }

  /** Creates the present key if there is none. */
  override list() {
    this.prepare()
    return super.list()
  }

  /** Creates the next key; signatures of the last one stay valid. Returns the id of the new key. */
  rotate(): string {
    const { privateKey, publicKey } = newKeyPair()
    this.#trust(publicKey)
    replaceFile(this.#privatePath, pemOf(privateKey))
    return keyIdOf(createPublicKey(this.#present()))
  }

  /** Signatures of this key become invalid. False if there is no such key; refuses the present one. */
  retire(id: string): boolean {
    if (!this.trustedIds().includes(id)) return false
    if (id === keyIdOf(createPublicKey(this.#present()))) throw new SigningKeyInUse(id)
    removeFile(this.trustedPath(id))
    return true
  }

  #present(): KeyObject {
    this.#prepareFolder()
    const key = createPrivateKey(readOrMake(this.#privatePath, () => pemOf(newKeyPair().privateKey)))
    // Publishes the key before its first signature, also after a crash between writing the two files.
    const id = this.#trust(createPublicKey(key))
    if (!existsSync(this.presentPath) || readFileSync(this.presentPath, 'utf8') !== `${id}\n`) {
      replaceFile(this.presentPath, `${id}\n`, publicMode)
    }
    return key
  }

  #trust(key: KeyObject): string {
    this.#prepareFolder()
    const id = keyIdOf(key)
    if (!existsSync(this.trustedPath(id))) keepFirst(this.trustedPath(id), publicPemOf(key), publicMode)
    return id
  }

  #prepareFolder(): void {
    mkdirSync(this.trustedFolder, { recursive: true, mode: 0o700 })
    // Independent of the process's umask: the API must be able to read the folder.
    if ((statSync(this.trustedFolder).mode & 0o777) !== 0o755) chmodSync(this.trustedFolder, 0o755)
  }
}

/** The key that signs now cannot be retired: rotate first. */
export class SigningKeyInUse extends Error {
  constructor(id: string) {
    super(`${id} is the key that signs now`)
    this.name = 'SigningKeyInUse'
  }
}

const newKeyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const publicPemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()
