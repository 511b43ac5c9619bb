import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { ArchiveRefused } from './archive-refused.ts'
import { ByteReader } from './byte-reader.ts'
import { decodeName, type PathBounds, parseEntryPath } from './entry-path.ts'
import { EntryTree, type TreeBounds } from './entry-tree.ts'
import type { RawEntry } from './raw-entry.ts'
import { readTar } from './tar-reader.ts'

/*
 * The check of a built image: one uncompressed tar, made by a build that ran a stranger's code, so as hostile as an
 * upload. It is proved while it streams to storage, and stored bytes are the proved ones; they are unpacked later by
 * the host agent, therefore the dialect is read as strictly as in an upload.
 *
 * An image may hold more than a context: links to anywhere (they are only ever resolved inside a sandbox), hard links
 * to files that came before, set-id bits (no new privileges in a sandbox), names with backslashes. It may not hold
 * devices, sockets, overlay whiteouts (as `.wh.` names or attributes), or anything that gets in the way of what the
 * platform mounts: the reserved folders are absent or real folders, those that belong to the kernel hold only folders.
 */

export interface FlatImageBounds extends PathBounds, TreeBounds {
  maxBytes: number
}

export const flatImageBounds: FlatImageBounds = {
  maxBytes: 10 * 1024 ** 3,
  maxEntries: 1_000_000,
  maxNamesBytes: 128 * 1024 ** 2,
  maxPathBytes: 4096,
  maxDepth: 256,
}

export interface FlatImageReport {
  /** `sha256:` over the tar: for an uncompressed layer also its diff id. */
  digest: string
  /** Of the tar itself. */
  byteSize: number
  /** Of all file contents together. */
  unpackedBytes: number
  entries: number
}

/** Absent or real folders (contract decision D7). */
const reservedFolders = new Set(['dev', 'proc', 'sys', 'run', 'tmp', 'workspace'])
/** Hidden under the kernel's own file systems: content there would only mislead. */
const kernelFolder = /^(?:dev|proc|sys)\//
/** The platform's own. */
const platformPath = /^\.sandbox(?:\/|$)/
/** Attributes by which overlayfs hides or redirects. */
const overlayAttribute = /^(?:trusted\.|user\.overlay\.)/

/**
 * Passes a flat image on unchanged and fails with `ArchiveRefused` before the offending chunk gets through.
 * Use it inside `pipeline`; `report` may be read once that has resolved.
 */
export class FlatImageCheck extends Transform {
  readonly #chunks = new Handover()
  readonly #hash = createHash('sha256')
  readonly #bounds: FlatImageBounds
  readonly #checked: Promise<{ unpackedBytes: number; entries: number }>
  #byteSize = 0
  #report: FlatImageReport | undefined

  constructor(bounds: FlatImageBounds = flatImageBounds) {
    super()
    this.#bounds = bounds
    this.#checked = checkEntries(new ByteReader(this.#chunks), bounds)
    // The reason reaches the pipeline with the next chunk or the end.
    this.#checked.catch(() => this.#chunks.end())
  }

  get report(): FlatImageReport {
    if (!this.#report) throw new Error('the image has not been checked to its end')
    return this.#report
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#accept(chunk).then(
      () => callback(null, chunk),
      (error: Error) => callback(error),
    )
  }

  override _flush(callback: TransformCallback): void {
    this.#chunks.end()
    this.#checked.then(
      (counts) => {
        this.#report = { digest: `sha256:${this.#hash.digest('hex')}`, byteSize: this.#byteSize, ...counts }
        callback()
      },
      (error: Error) => callback(error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#chunks.end()
    callback(error)
  }

  async #accept(chunk: Buffer): Promise<void> {
    this.#byteSize += chunk.length
    if (this.#byteSize > this.#bounds.maxBytes) throw new ArchiveRefused('archive_too_large')
    this.#hash.update(chunk)
    const wasTaken = await this.#chunks.give(chunk)
    if (!wasTaken) await this.#checked
  }
}

async function checkEntries(input: ByteReader, bounds: FlatImageBounds) {
  const tree = new EntryTree(bounds)
  let unpackedBytes = 0
  let entries = 0
  for await (const raw of readTar(input)) {
    const path = parseEntryPath(raw.name, raw.kind === 'directory' ? 'directory' : 'other', bounds)
    if (path === '') continue
    checkEntry(raw, path, tree, bounds)
    tree.add(path, raw.kind === 'directory' || raw.kind === 'symlink' ? raw.kind : 'file')
    unpackedBytes += raw.byteSize
    entries += 1
  }
  return { unpackedBytes, entries }
}

function checkEntry(raw: RawEntry, path: string, tree: EntryTree, bounds: FlatImageBounds): void {
  if (raw.kind === 'device') throw new ArchiveRefused('device_entry')
  if (raw.attributeNames.some((name) => overlayAttribute.test(name))) {
    throw new ArchiveRefused('image_overlay_attribute')
  }
  if (path.startsWith('.wh.') || path.includes('/.wh.')) throw new ArchiveRefused('image_whiteout')
  const isFolder = raw.kind === 'directory'
  const isReserved =
    platformPath.test(path) || (!isFolder && (reservedFolders.has(path) || kernelFolder.test(path)))
  if (isReserved) throw new ArchiveRefused('image_path_reserved')
  if (raw.kind === 'symlink') decodeName(raw.linkName, bounds.maxPathBytes)
  if (raw.kind === 'hard_link') {
    const target = parseEntryPath(raw.linkName, 'other', bounds)
    if (tree.kind(target) !== 'file') throw new ArchiveRefused('hard_link_target')
  }
}

/** Hands chunks from a writer to a reader one at a time; `give` resolves when the reader comes back for more. */
class Handover implements AsyncIterable<Buffer> {
  #chunk: Buffer | undefined
  #isOver = false
  #wakeReader: () => void = () => undefined
  #wakeWriter: () => void = () => undefined

  /** False when nobody reads any more. */
  async give(chunk: Buffer): Promise<boolean> {
    if (this.#isOver) return false
    this.#chunk = chunk
    const taken = new Promise<void>((resolve) => {
      this.#wakeWriter = resolve
    })
    this.#wakeReader()
    await taken
    return !this.#isOver
  }

  end(): void {
    this.#isOver = true
    this.#wakeReader()
    this.#wakeWriter()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    for (;;) {
      if (this.#chunk) {
        const chunk = this.#chunk
        this.#chunk = undefined
        yield chunk
        this.#wakeWriter()
      } else if (this.#isOver) {
        return
      } else {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve
        })
      }
    }
  }
}
