import type { ContentReader } from '../content-reader.ts'
import type { InventoryMaker } from '../inventory-maker.ts'

const elfMagic = Buffer.from('\x7fELF', 'latin1')
const infoMagic = Buffer.from('\xff Go buildinf:', 'latin1')
/** The linker aligns the block. At other offsets the magic is a constant of a program. */
const alignment = 16
const headerBytes = 32
const inlineStringsFlag = 2
const maxInfoBytes = 1024 ** 2
/** The module list is between two marks of this length. */
const markBytes = 16

/**
 * Finds the modules of a Go program, which Go 1.18 and later write into it (`debug/buildinfo`). The file
 * is searched while it streams; programs in other languages cost only the search.
 */
export class GoBuildInfo implements ContentReader {
  readonly #path: string
  readonly #maker: InventoryMaker
  /** First the start of the file, then the end of the searched bytes, then the block. */
  #held: Buffer | undefined
  #phase: 'start' | 'search' | 'take' | 'over' = 'start'
  #offset = 0

  constructor(path: string, maker: InventoryMaker) {
    this.#path = path
    this.#maker = maker
  }

  write(chunk: Buffer): void {
    if (this.#phase === 'over') return
    const bytes = this.#held && this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    if (this.#phase === 'start') {
      this.#held = bytes
      if (bytes.length < elfMagic.length) return
      this.#phase = bytes.subarray(0, elfMagic.length).equals(elfMagic) ? 'search' : 'over'
    }
    if (this.#phase === 'search') this.#search(bytes)
    else if (this.#phase === 'take') this.#take(bytes)
    if (this.#phase === 'over') this.#held = undefined
  }

  end(): void {
    const info = this.#phase === 'take' && this.#held ? moduleText(this.#held) : undefined
    if (info === undefined) return
    for (const module of modules(info)) {
      this.#maker.addPackage({ kind: 'golang', ...module }, this.#path)
    }
  }

  /** Searches bytes that start at `#offset` of the file. */
  #search(bytes: Buffer): void {
    let at = bytes.indexOf(infoMagic)
    while (at !== -1 && (this.#offset + at) % alignment !== 0) at = bytes.indexOf(infoMagic, at + 1)
    if (at !== -1) {
      this.#phase = 'take'
      this.#take(bytes.subarray(at))
      return
    }
    const kept = Math.min(bytes.length, infoMagic.length - 1)
    this.#offset += bytes.length - kept
    this.#held = Buffer.from(bytes.subarray(bytes.length - kept))
  }

  #take(bytes: Buffer): void {
    this.#held = bytes.length > maxInfoBytes ? Buffer.from(bytes.subarray(0, maxInfoBytes)) : bytes
  }
}

/** The second of two length-prefixed strings; the first is the version of Go. */
function moduleText(block: Buffer): string | undefined {
  if (block.length < headerBytes || ((block[15] ?? 0) & inlineStringsFlag) === 0) return undefined
  const version = lengthPrefixed(block, headerBytes)
  const info = version && lengthPrefixed(block, version.end)
  if (!info || info.end - info.start < 2 * markBytes) return undefined
  return block.toString('utf8', info.start + markBytes, info.end - markBytes)
}

function lengthPrefixed(block: Buffer, at: number): { start: number; end: number } | undefined {
  let length = 0
  for (let digit = 0; digit < 4; digit += 1) {
    const byte = block[at + digit]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 128 ** digit
    if (byte < 0x80) {
      const start = at + digit + 1
      return start + length <= block.length ? { start, end: start + length } : undefined
    }
  }
  return undefined
}

/** Lines `mod path version sum`, `dep path version sum`, and `=> path version sum`, which replaces the line before. */
function modules(text: string): { namespace?: string; name: string; version: string }[] {
  const found: { path: string; version: string }[] = []
  for (const line of text.split('\n')) {
    const [word, path = '', version = ''] = line.split('\t')
    if (word === '=>') found.pop()
    const isModule = word === 'mod' || word === 'dep' || word === '=>'
    // A program that was built from its source folder has no version, and is filtered out below.
    if (isModule && path !== '') found.push({ path, version })
  }
  return found
    .filter(({ version }) => /^v\d/.test(version))
    .map(({ path, version }) => {
      const slash = path.lastIndexOf('/')
      const namespace = path.slice(0, Math.max(slash, 0))
      return { ...(namespace !== '' && { namespace }), name: path.slice(slash + 1), version }
    })
}
