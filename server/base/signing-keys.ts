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
 * The keys that images are signed with: ECDSA on P-256, which cosign, in-toto tools and openssl all verify.
 *
 *   FOLDER/signing.pem    the one private key; a rotation overwrites it, so an old key can sign nothing more
 *
 * What else is in the folder is public (published-signing-keys.ts).
 */

export interface Signature {
  keyId: string
  /** DER, over the sha256 of the bytes. */
  bytes: Buffer
}

/** Where the keys of a data folder are: beside the others, and in no database. */
export const signingKeysFolder = (dataDir: string): string => join(dataDir, 'keys/image-signing')

/** True when the key that the signature names is trusted and made it. */
export function verifySignature(trusted: TrustedKeys, signed: Buffer, signature: Signature): boolean {
  const key = trusted.get(signature.keyId)
  return key !== undefined && verify('sha256', signed, key, signature.bytes)
}

/** All of it, for who may read the private key. */
export class SigningKeys extends PublishedSigningKeys {
  readonly #privatePath: string

  constructor(folder: string) {
    super(folder)
    this.#privatePath = join(folder, 'signing.pem')
  }

  /** Signs with the present key, which is made when there is none. */
  sign(bytes: Buffer): Signature {
    const key = this.#present()
    return { keyId: keyIdOf(createPublicKey(key)), bytes: sign('sha256', bytes, key) }
  }

  /** The present key is made when there is none. */
  override list() {
    this.#present()
    return super.list()
  }

  /** Makes the next key; what the last one signed stays valid. Answers the new key's id. */
  rotate(): string {
    const { privateKey, publicKey } = newKeyPair()
    this.#trust(publicKey)
    replaceFile(this.#privatePath, pemOf(privateKey))
    return keyIdOf(createPublicKey(this.#present()))
  }

  /** From now on nothing that this key signed counts. False: there is no such key; the present one is refused. */
  retire(id: string): boolean {
    if (!this.trustedIds().includes(id)) return false
    if (id === keyIdOf(createPublicKey(this.#present()))) throw new SigningKeyInUse(id)
    removeFile(this.trustedPath(id))
    return true
  }

  #present(): KeyObject {
    this.#prepare()
    const key = createPrivateKey(readOrMake(this.#privatePath, () => pemOf(newKeyPair().privateKey)))
    // Published before it first signs, whoever was cut off between making the one file and the other.
    const id = this.#trust(createPublicKey(key))
    if (!existsSync(this.presentPath) || readFileSync(this.presentPath, 'utf8') !== `${id}\n`) {
      replaceFile(this.presentPath, `${id}\n`, publicMode)
    }
    return key
  }

  #trust(key: KeyObject): string {
    this.#prepare()
    const id = keyIdOf(key)
    if (!existsSync(this.trustedPath(id))) keepFirst(this.trustedPath(id), publicPemOf(key), publicMode)
    return id
  }

  #prepare(): void {
    mkdirSync(this.trustedFolder, { recursive: true, mode: 0o700 })
    // Whatever the umask of the process is: the API reads what is in there.
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
