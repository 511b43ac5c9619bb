import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keepFirst, removeFile, replaceFile } from './key-files.ts'

/*
 * The keys that decrypt what clients encrypt for the service: RSA, 3072 bits.
 *
 *   FOLDER/transit-rsa.pem          the key whose public half clients get; a rotation overwrites it
 *   FOLDER/transit-rsa.former.pem   the one before it, which decrypts until it is retired
 *
 * A rotation by another process needs no restart: each use checks whether a file has changed since it was read.
 */

/** The present key, and the former one while that is live. */
type LiveKeys = readonly [KeyObject, ...KeyObject[]]

const modulusLength = 3072

export class TransitKeys {
  readonly #path: string
  readonly #formerPath: string
  #version = ''
  #live: Promise<LiveKeys> | undefined

  constructor(folder: string) {
    this.#path = join(folder, 'transit-rsa.pem')
    this.#formerPath = join(folder, 'transit-rsa.former.pem')
  }

  /**
   * All keys that a value may be encrypted under. The first key is made at the first use, which takes a second on another thread;
   * rejects when a key can be neither read nor stored.
   */
  live(): Promise<LiveKeys> {
    const version = `${versionOf(this.#path)} ${versionOf(this.#formerPath)}`
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

  /** Makes the next key; the last one stays live. Throws `TransitKeyLive` while one from before it is. */
  rotate(): void {
    if (existsSync(this.#path)) {
      const present = readFileSync(this.#path, 'utf8')
      // A rotation that was killed has kept the present key and not replaced it.
      if (keepFirst(this.#formerPath, present) !== present) throw new TransitKeyLive()
    }
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
    replaceFile(this.#path, pemOf(privateKey))
  }

  /** Ends the former key: values that are encrypted under it can no longer be read. False if there is none. */
  retire(): boolean {
    if (!existsSync(this.#formerPath)) return false
    removeFile(this.#formerPath)
    return true
  }

  async #read(): Promise<LiveKeys> {
    const present = existsSync(this.#path)
      ? readFileSync(this.#path, 'utf8')
      : keepFirst(this.#path, await newKey())
    const former = existsSync(this.#formerPath) ? [readFileSync(this.#formerPath, 'utf8')] : []
    return [this.#parse(present), ...former.map((pem) => this.#parse(pem))]
  }

  #parse(pem: string): KeyObject {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'rsa') throw new Error(`${this.#path} must hold an RSA key`)
    return key
  }
}

/** The key from before the last rotation is live: it must be retired first. */
export class TransitKeyLive extends Error {
  override readonly name = 'TransitKeyLive'
}

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeMs}` : 'none'
}

async function newKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength })
  return pemOf(privateKey)
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
