import type { ContentReader } from '../content-reader.ts'
import type { ObservationRule } from '../inventory.ts'
import type { InventoryMaker } from '../inventory-maker.ts'
import { secretsIn } from './secrets-in.ts'

/** Longer than any pattern, so that a secret across two chunks is found in the second. */
const overlapBytes = 512

/**
 * Searches streamed text for private keys and tokens. Reports the kind of a secret and the path,
 * never a byte of the content.
 */
export class SecretSearch implements ContentReader {
  readonly #path: string
  readonly #maker: InventoryMaker
  readonly #found = new Set<ObservationRule>()
  #tail = ''
  /** False after a NUL: in binary files random bytes match patterns. */
  #isText = true

  constructor(path: string, maker: InventoryMaker) {
    this.#path = path
    this.#maker = maker
  }

  write(chunk: Buffer): void {
    this.#isText &&= !chunk.includes(0)
    if (!this.#isText) return
    const window = this.#tail + chunk.toString('latin1')
    for (const rule of secretsIn(window)) this.#found.add(rule)
    this.#tail = window.slice(-overlapBytes)
  }

  end(): void {
    if (!this.#isText) return
    for (const rule of this.#found) this.#maker.addObservation({ rule, path: this.#path })
  }
}
