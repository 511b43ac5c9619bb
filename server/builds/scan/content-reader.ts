import type { InventoryMaker } from './inventory-maker.ts'

/** Is given the content of one file as it passes by. */
export interface ContentReader {
  write(chunk: Buffer): void
  end(): void
}

interface SizedFile {
  path: string
  byteSize: number
  /** A larger one is told and not read. */
  maxBytes: number
}

/** Keeps a file, if it is within bounds, and has it read as a whole at its end. */
export class WholeFile implements ContentReader {
  readonly #file: SizedFile
  readonly #maker: InventoryMaker
  readonly #read: (content: Buffer) => void
  readonly #chunks: Buffer[] = []

  constructor(file: SizedFile, maker: InventoryMaker, read: (content: Buffer) => void) {
    this.#file = file
    this.#maker = maker
    this.#read = read
  }

  get #fits(): boolean {
    return this.#file.byteSize <= this.#file.maxBytes
  }

  write(chunk: Buffer): void {
    if (this.#fits) this.#chunks.push(chunk)
  }

  end(): void {
    if (this.#fits) this.#read(Buffer.concat(this.#chunks))
    else this.#maker.addUnread({ path: this.#file.path, reason: 'too_large' })
  }
}
