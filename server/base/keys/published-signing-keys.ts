import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/*
 * The public part of the image signing keys: the API reads it and cannot read the private key.
 *
 *   FOLDER/trusted/KEYID.pem    public keys whose signatures are valid: the present one, and old ones until they are retired
 *   FOLDER/present              id of the key that signs now
 *
 * The id of a key is the sha256 of its SubjectPublicKeyInfo, which anybody can compute from the public key. Every
 * call reads the files anew, so a rotation needs no restart.
 */

export interface PublicSigningKey {
  id: string
  /** SubjectPublicKeyInfo. */
  pem: string
  /** True for the key that signs now; the others only verify. */
  signs: boolean
  madeAt: Date
}

/** Public keys by their id. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>

const keyIdPattern = /^[0-9a-f]{64}$/

export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

export class PublishedSigningKeys {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Oldest first. Empty until the worker has created the first key. */
  list(): PublicSigningKey[] {
    const present = existsSync(this.presentPath) ? readFileSync(this.presentPath, 'utf8').trim() : undefined
    return this.trustedIds()
      .map((id) => {
        const path = this.trustedPath(id)
        return { id, pem: readFileSync(path, 'utf8'), signs: id === present, madeAt: statSync(path).mtime }
      })
      .toSorted((a, b) => a.madeAt.getTime() - b.madeAt.getTime())
  }

  /** The keys that verify signatures. A file whose content does not match the key id in its name is ignored. */
  trusted(): TrustedKeys {
    const keys = this.trustedIds().map(
      (id) => [id, createPublicKey(readFileSync(this.trustedPath(id)))] as const,
    )
    return new Map(keys.filter(([id, key]) => keyIdOf(key) === id))
  }

  trustedIds(): string[] {
    if (!existsSync(this.trustedFolder)) return []
    return readdirSync(this.trustedFolder)
      .filter((name) => name.endsWith('.pem'))
      .map((name) => name.slice(0, -'.pem'.length))
      .filter((id) => keyIdPattern.test(id))
  }

  protected trustedPath(id: string): string {
    return join(this.trustedFolder, `${id}.pem`)
  }

  protected get trustedFolder(): string {
    return join(this.#folder, 'trusted')
  }

  protected get presentPath(): string {
    return join(this.#folder, 'present')
  }
}
