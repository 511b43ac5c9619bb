import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { keepFirst, readOrMake } from './key-files.ts'

/*
 * The keys that images are signed with: ECDSA on P-256, which cosign, in-toto tools and openssl all verify.
 *
 *   FOLDER/signing.pem          the one private key; a rotation overwrites it, so an old key can sign nothing more
 *   FOLDER/trusted/KEYID.pem    public keys whose signatures count: the present one, and old ones until they are retired
 *
 * The id of a key is the sha256 of its SubjectPublicKeyInfo, which anybody can compute from the public key.
 * Everything is read anew each time it is asked for: a rotation needs no restart.
 */

export interface PublicSigningKey {
  id: string
  /** SubjectPublicKeyInfo. */
  pem: string
  /** It is what signs now; the others only verify. */
  signs: boolean
  madeAt: Date
}

/** Public keys by their id. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>

export interface Signature {
  keyId: string
  /** DER, over the sha256 of the bytes. */
  bytes: Buffer
}

/** Where the keys of a data folder are: beside the others, and in no database. */
export const signingKeysFolder = (dataDir: string): string => join(dataDir, 'keys/image-signing')

const keyIdPattern = /^[0-9a-f]{64}$/

export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

/** True when the key that the signature names is trusted and made it. */
export function verifySignature(trusted: TrustedKeys, signed: Buffer, signature: Signature): boolean {
  const key = trusted.get(signature.keyId)
  return key !== undefined && verify('sha256', signed, key, signature.bytes)
}

export class SigningKeys {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Signs with the present key, which is made when there is none. */
  sign(bytes: Buffer): Signature {
    const key = this.#present()
    return { keyId: keyIdOf(createPublicKey(key)), bytes: sign('sha256', bytes, key) }
  }

  /** Oldest first; the present key is made when there is none. */
  list(): PublicSigningKey[] {
    const present = keyIdOf(createPublicKey(this.#present()))
    return this.#trustedIds()
      .map((id) => {
        const path = this.#trustedPath(id)
        return { id, pem: readFileSync(path, 'utf8'), signs: id === present, madeAt: statSync(path).mtime }
      })
      .toSorted((a, b) => a.madeAt.getTime() - b.madeAt.getTime())
  }

  /** What signatures are verified with. A file that does not hold the key of its name counts for nothing. */
  trusted(): TrustedKeys {
    const keys = this.#trustedIds().map(
      (id) => [id, createPublicKey(readFileSync(this.#trustedPath(id)))] as const,
    )
    return new Map(keys.filter(([id, key]) => keyIdOf(key) === id))
  }

  /** Makes the next key; what the last one signed stays valid. Answers the new key's id. */
  rotate(): string {
    const { privateKey, publicKey } = newKeyPair()
    const id = this.#trust(publicKey)
    const next = join(this.#folder, 'next.pem')
    writeFileSync(next, pemOf(privateKey), { mode: 0o600 })
    renameSync(next, this.#privatePath)
    return id
  }

  /** From now on nothing that this key signed counts. False: there is no such key; the present one is refused. */
  retire(id: string): boolean {
    if (!this.#trustedIds().includes(id)) return false
    if (id === keyIdOf(createPublicKey(this.#present()))) throw new SigningKeyInUse(id)
    unlinkSync(this.#trustedPath(id))
    return true
  }

  #present(): KeyObject {
    this.#prepare()
    const key = createPrivateKey(readOrMake(this.#privatePath, () => pemOf(newKeyPair().privateKey)))
    // Trusted before it first signs, whoever was cut off between making the one file and the other.
    this.#trust(createPublicKey(key))
    return key
  }

  #trust(key: KeyObject): string {
    this.#prepare()
    const id = keyIdOf(key)
    if (!existsSync(this.#trustedPath(id))) keepFirst(this.#trustedPath(id), publicPemOf(key))
    return id
  }

  #prepare(): void {
    mkdirSync(join(this.#folder, 'trusted'), { recursive: true, mode: 0o700 })
  }

  #trustedIds(): string[] {
    this.#prepare()
    return readdirSync(join(this.#folder, 'trusted'))
      .filter((name) => name.endsWith('.pem'))
      .map((name) => name.slice(0, -'.pem'.length))
      .filter((id) => keyIdPattern.test(id))
  }

  #trustedPath(id: string): string {
    return join(this.#folder, 'trusted', `${id}.pem`)
  }

  get #privatePath(): string {
    return join(this.#folder, 'signing.pem')
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
