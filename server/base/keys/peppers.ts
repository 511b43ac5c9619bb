import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepFirst, removeFile, syncFolder } from './key-files.ts'
import { FormerKeyLive } from './rotated-file.ts'

/*
 * The peppers that API keys are stored under, each with a number.
 *
 *   FOLDER/peppers/NUMBER.key    64 hex digits; the highest number is the present pepper
 *
 * Without such a file there is one pepper, number 0, which is derived from the first root key. After a rotation two are
 * live: a key is found under either, and stored under the present one at its next use. A rotation by another process
 * needs no restart: a lookup that finds no key checks for a new pepper.
 */

export interface Pepper {
  number: number
  key: KeyObject
}

export interface Peppers {
  /** The pepper that new keys are stored under. */
  present(): Pepper
  /** All peppers that keys may be stored under, the present one first. */
  live(): readonly Pepper[]
  /** Checks for a rotation; true when there was one. */
  refresh(): boolean
}

const fileName = /^(?<number>\d{1,6})\.key$/
const hexKey = /^[0-9a-f]{64}$/

export class StoredPeppers implements Peppers {
  readonly #folder: string
  readonly #first: KeyObject
  #names = ''
  #live: readonly [Pepper, ...Pepper[]]

  constructor(folder: string, first: KeyObject) {
    this.#folder = join(folder, 'peppers')
    this.#first = first
    this.#live = [{ number: 0, key: first }]
    this.refresh()
  }

  present(): Pepper {
    return this.#live[0]
  }

  live(): readonly Pepper[] {
    return this.#live
  }

  refresh(): boolean {
    const numbers = this.#numbers()
    if (numbers.join() === this.#names) return false
    const [present, ...former] = numbers.map((number) => ({ number, key: this.#read(number) }))
    if (present) this.#live = [present, ...former]
    this.#names = numbers.join()
    return true
  }

  /** Creates the next pepper; keys under the last one stay valid. Throws `FormerKeyLive` while an earlier one is live. */
  rotate(): number {
    this.refresh()
    if (this.#live.length > 1) throw new FormerKeyLive()
    this.store()
    const last = this.present().number
    keepFirst(this.#path(last + 1), `${randomBytes(32).toString('hex')}\n`)
    this.refresh()
    return this.present().number
  }

  /** Stores the first pepper, so that it no longer depends on the root key. Does nothing when there is a file. */
  store(): void {
    if (this.#numbers().length > 0) return
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    syncFolder(dirname(this.#folder))
    keepFirst(this.#path(0), `${this.#first.export().toString('hex')}\n`)
  }

  /** Retires the former pepper: keys that are still stored under it become invalid. False if there is none. */
  retire(): boolean {
    this.refresh()
    const former = this.#live.slice(1)
    for (const { number } of former) removeFile(this.#path(number))
    this.refresh()
    return former.length > 0
  }

  /** Highest first. */
  #numbers(): number[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder)
      .flatMap((name) => Number(fileName.exec(name)?.groups?.number ?? Number.NaN))
      .filter(Number.isInteger)
      .toSorted((a, b) => b - a)
  }

  #read(number: number): KeyObject {
    const text = readFileSync(this.#path(number), 'utf8').trim()
    if (!hexKey.test(text)) throw new Error(`${this.#path(number)} must hold 64 hex digits`)
    return createSecretKey(Buffer.from(text, 'hex'))
  }

  #path(number: number): string {
    return join(this.#folder, `${number}.key`)
  }
}
