import { kindMask, wordsPerMark } from './mark.ts'

const slotsMin = 1024
/** The table grows above this load, so that probing stays short. */
const loadMax = 0.7

/** A set of marks in 16 bytes a slot, open addressing: two million ids as texts would take ten times the memory. */
export class MarkTable {
  #slots: number
  #words: Uint32Array
  #size = 0

  /** With room for `expected` marks. */
  constructor(expected = 0) {
    this.#slots = slotsMin
    while (this.#slots * loadMax < expected) this.#slots *= 2
    this.#words = new Uint32Array(this.#slots * wordsPerMark)
  }

  get size(): number {
    return this.#size
  }

  /** Adds the mark whose words start at `at`. If the hash is already present, its kinds are combined. */
  add(source: Uint32Array, at: number): void {
    if (this.#size + 1 > this.#slots * loadMax) this.#grow()
    const slot = this.#slotOf(source, at)
    const last = this.#words[slot + 3] ?? 0
    if (last === 0) this.#size += 1
    const words = this.#words
    for (let word = 0; word < 3; word += 1) words[slot + word] = source[at + word] ?? 0
    words[slot + 3] = (source[at + 3] ?? 0) | (last & kindMask)
  }

  /** The bits of the mark's kinds; 0 when there is none. */
  bitsOf(hash: Uint32Array): number {
    return (this.#words[this.#slotOf(hash, 0) + 3] ?? 0) & kindMask
  }

  /** Index of the mark's slot, or of the free slot where it belongs. */
  #slotOf(source: Uint32Array, at: number): number {
    const words = this.#words
    const mask = this.#slots - 1
    const first = source[at] ?? 0
    const second = source[at + 1]
    const third = source[at + 2]
    const fourth = (source[at + 3] ?? 0) | kindMask
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const start = slot * wordsPerMark
      const last = words[start + 3] ?? 0
      if (last === 0) return start
      const isSame =
        words[start] === first &&
        words[start + 1] === second &&
        words[start + 2] === third &&
        (last | kindMask) === fourth
      if (isSame) return start
    }
  }

  #grow(): void {
    const before = this.#words
    this.#slots *= 2
    this.#words = new Uint32Array(this.#slots * wordsPerMark)
    this.#size = 0
    for (let at = 0; at < before.length; at += wordsPerMark) {
      if (before[at + 3] !== 0) this.add(before, at)
    }
  }
}
