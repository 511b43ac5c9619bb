import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { keepFirst, readOrMake } from './key-files.ts'
import { RotatedFile } from './rotated-file.ts'

/* The keys that decrypt what clients encrypt for the service: RSA, 3072 bits, in `FOLDER/transit-rsa.pem`. */

/** The present key, and the former one while that is live. */
type LiveKeys = readonly [KeyObject, ...KeyObject[]]

const modulusLength = 3072

export class TransitKeys {
  readonly #file: RotatedFile
  #version = ''
  #live: Promise<LiveKeys> | undefined

  constructor(folder: string) {
    this.#file = new RotatedFile(folder, 'transit-rsa', 'pem')
  }

  /**
   * All keys that a value may be encrypted under. The first key is made at the first use, which takes a second on another thread;
   * rejects when a key can be neither read nor stored.
   */
  live(): Promise<LiveKeys> {
    const { version } = this.#file
    if (this.#live && version === this.#version) return this.#live
    const live = this.#read()
    this.#version = version
    this.#live = live
    // After a failure, and after the first key was made, the next call reads again.
    live.catch(() => {
      if (this.#live === live) this.#live = undefined
    })
    return live
  }

  /** Makes the first key where there is none. */
  make(): void {
    readOrMake(this.#file.path, () => pemOf(generateKeyPairSync('rsa', { modulusLength }).privateKey))
  }

  /** Makes the next key; the last one stays live. Throws `FormerKeyLive` while one from before it is. */
  rotate(): void {
    this.#file.rotate(() => pemOf(generateKeyPairSync('rsa', { modulusLength }).privateKey))
  }

  /** Ends the former key: values that are encrypted under it can no longer be read. False if there is none. */
  retire(): boolean {
    return this.#file.retire()
  }

  async #read(): Promise<LiveKeys> {
    const { path, formerPath, hasFormer } = this.#file
    const present = existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, await newKey())
    const former = hasFormer ? [readFileSync(formerPath, 'utf8')] : []
    return [this.#parse(present), ...former.map((pem) => this.#parse(pem))]
  }

  #parse(pem: string): KeyObject {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'rsa') throw new Error(`${this.#file.path} must hold an RSA key`)
    return key
  }
}

async function newKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength })
  return pemOf(privateKey)
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
