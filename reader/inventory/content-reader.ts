import type { InventoryMaker } from './inventory-maker.ts'

/** Receives the content of one file in chunks. */
export interface ContentReader {
  write(chunk: Buffer): void
  end(): void
}

interface SizedFile {
  path: string
  byteSize: number
  /** A larger file is reported as unread. */
  maxBytes: number
}

/** Collects a file within its bound, and reads it as a whole at its end. */
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
