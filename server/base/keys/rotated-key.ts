import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { readHexKey, readOrMakeHexKey } from './hex-key.ts'
import { RotatedFile } from './rotated-file.ts'

/** Keys of MACs: the present one makes them, each live one verifies them. */
export interface MacKeys {
  /** The present key first. */
  live(): LiveKeys
}

/** The present key, and the former one until it is retired. */
export type LiveKeys = readonly [KeyObject, ...KeyObject[]]

/** Whether `given` is the MAC under a live key. */
export const isMac = (keys: MacKeys, given: Buffer, macOf: (key: KeyObject) => Buffer): boolean =>
  keys.live().some((key) => {
    const expected = macOf(key)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })

/** A symmetric key of 256 bits that an operator may rotate, in `FOLDER/NAME.key`. */
export class RotatedKey implements MacKeys {
  readonly #file: RotatedFile
  #version = ''
  #live: LiveKeys | undefined

  constructor(folder: string, name: string) {
    this.#file = new RotatedFile(folder, name, 'key')
  }

  /** The first call makes the first key. Throws `KeyFileDamaged`, whose message names the file. */
  live(): LiveKeys {
    const { version, path, formerPath, hasFormer } = this.#file
    if (this.#live && version === this.#version) return this.#live
    const former = hasFormer ? [readHexKey(formerPath)] : []
    const present = readOrMakeHexKey(path)
    // While a rotation is under way, or after one that was killed, both files have the present key.
    this.#live = [present, ...former.filter((key) => !key.equals(present))]
    this.#version = version
    return this.#live
  }

  /** Makes the next key; the last one stays live. Throws `FormerKeyLive` while one from before it is. */
  rotate(): void {
    this.live()
    this.#file.rotate(() => `${randomBytes(32).toString('hex')}\n`)
  }

  /** Ends the former key: what was made under it counts for nothing. False if there is none. */
  retire(): boolean {
    return this.#file.retire()
  }
}

/** The keys of one purpose, each derived from a live key of `root`. */
export class DerivedKeys implements MacKeys {
  readonly #root: MacKeys
  readonly #purpose: string
  #of: LiveKeys | undefined
  #live: LiveKeys | undefined

  constructor(root: MacKeys, purpose: string) {
    this.#root = root
    this.#purpose = purpose
  }

  live(): LiveKeys {
    const roots = this.#root.live()
    if (this.#live && this.#of === roots) return this.#live
    const [present, ...former] = roots
    this.#live = [deriveKey(present, this.#purpose), ...former.map((key) => deriveKey(key, this.#purpose))]
    this.#of = roots
    return this.#live
  }
}

export const deriveKey = (root: KeyObject, purpose: string): KeyObject =>
  createSecretKey(createHmac('sha256', root).update(purpose).digest())
