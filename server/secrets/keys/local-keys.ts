import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { KeyFileDamaged, makeHexKey, readHexKey } from '../../base/keys/hex-key.ts'
import { removeFile } from '../../base/keys/key-files.ts'
import { KeysUnavailable, type WrappedKey, WrappedKeyRefused, type WrappingKeys } from './wrapping-keys.ts'

/*
 * Key-encryption keys in files.
 *
 *   FOLDER/NUMBER.key   64 hex digits; the highest number wraps, all unwrap
 *
 * The worker makes the first and reads them all; the API, which is in its group, reads them to wrap. A rotation by another
 * process needs no restart: the names in the folder are read at each use. A wrapped key is the nonce, the data key under
 * AES-256-GCM, and the tag.
 */

/** Where the files of a data folder are. */
export const secretKeysFolder = (dataDir: string): string => join(dataDir, 'keys/secrets')

const fileName = /^(?<number>\d{1,6})\.key$/
/** The group is that of API and worker. */
const keyMode = 0o640
const ivBytes = 12
const tagBytes = 16
const wrappedBytes = ivBytes + 32 + tagBytes

export class LocalKeys implements WrappingKeys {
  readonly prefix = 'local'
  readonly #folder: string
  #names = ''
  #keys: ReadonlyMap<number, KeyObject> = new Map()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Makes the first key where there is none: for the process that owns the folder. */
  prepare(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    if (this.numbers().length === 0) makeHexKey(this.#path(1), keyMode)
  }

  /** Of all keys, the present one first. */
  numbers(): number[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder)
      .flatMap((name) => Number(fileName.exec(name)?.groups?.number ?? Number.NaN))
      .filter(Number.isInteger)
      .toSorted((a, b) => b - a)
  }

  async presentId(): Promise<string> {
    return this.#idOf(this.#present().number)
  }

  async wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey> {
    const { number, key } = this.#present()
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
    cipher.setAAD(context)
    const bytes = Buffer.concat([iv, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()])
    return { keyId: this.#idOf(number), bytes }
  }

  async unwrap({ keyId, bytes }: WrappedKey, context: Buffer): Promise<Buffer> {
    const key = this.#load().get(Number(keyId.slice(this.prefix.length + 1)))
    if (!key) throw new KeysUnavailable(`${this.#folder} has no key ${keyId}`)
    if (bytes.length !== wrappedBytes) throw new WrappedKeyRefused()
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
    cipher.setAAD(context)
    cipher.setAuthTag(bytes.subarray(-tagBytes))
    const opened = cipher.update(bytes.subarray(ivBytes, -tagBytes))
    try {
      cipher.final()
      return opened
    } catch {
      opened.fill(0)
      throw new WrappedKeyRefused()
    }
  }

  async rotate(): Promise<string> {
    const [present = 0] = this.numbers()
    makeHexKey(this.#path(present + 1), keyMode)
    return this.#idOf(this.#present().number)
  }

  /** Removes a key that wraps nothing any more: the caller has made sure of that. The present one stays. */
  remove(number: number): void {
    if (number !== this.#present().number) removeFile(this.#path(number))
  }

  #present(): { number: number; key: KeyObject } {
    const [found] = this.#load()
    if (!found) throw new KeysUnavailable(`${this.#folder} has no key`)
    return { number: found[0], key: found[1] }
  }

  #load(): ReadonlyMap<number, KeyObject> {
    try {
      const numbers = this.numbers()
      if (numbers.join() !== this.#names) {
        this.#keys = new Map(numbers.map((number) => [number, readHexKey(this.#path(number))]))
        this.#names = numbers.join()
      }
      return this.#keys
    } catch (error) {
      this.#names = ''
      if (error instanceof KeyFileDamaged) throw new KeysUnavailable(error.message)
      throw new KeysUnavailable(`${this.#folder} cannot be read`, { cause: error })
    }
  }

  #idOf(number: number): string {
    return `${this.prefix}:${number}`
  }

  #path(number: number): string {
    return join(this.#folder, `${number}.key`)
  }
}
