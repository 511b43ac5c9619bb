import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { sessionDepthMax } from '@sandbox-jobs/contract/limits.ts'
import { sessionPathPattern } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { type FolderEntryHead, folderParts } from '../../executor/port/folder-entries.ts'
import { permissionBits, type TreeEntry, type TreeFile } from '../trees/tree.ts'

/** An entry of the folder that a run left; where the bytes of a file are stored is decided when all are known. */
export type LeftEntry = Exclude<TreeEntry, TreeFile> | Omit<TreeFile, 'pack' | 'offset'>

/** The rule that a folder breaks, and the path that breaks it as raw bytes in latin1. */
export interface BrokenRule {
  rule: string
  path: string
}

const plainPath = new RegExp(sessionPathPattern, 'u')

/**
 * The entries of a collected folder, with the digests of its files, in its order; or the first rule that a name breaks. Sizes,
 * kinds and numbers were checked when the folder was collected.
 */
export async function readLeftFolder(bytes: AsyncIterable<Buffer>): Promise<LeftEntry[] | BrokenRule> {
  const entries: LeftEntry[] = []
  let reading: EntryReader | undefined
  let broken: BrokenRule | undefined
  const finish = () => {
    if (!reading) return
    broken ??= reading.broken()
    entries.push(reading.entry())
  }
  for await (const part of folderParts(bytes)) {
    if (Buffer.isBuffer(part)) reading?.take(part)
    else {
      finish()
      reading = new EntryReader(part)
    }
  }
  finish()
  return broken ?? entries
}

/** One entry while its content arrives. */
class EntryReader {
  readonly #head: FolderEntryHead
  readonly #path: Buffer
  readonly #hash = createHash('sha256')
  readonly #target: Buffer[] = []

  constructor(head: FolderEntryHead) {
    this.#head = head
    this.#path = Buffer.from(head.path, 'latin1')
  }

  take(part: Buffer): void {
    if (this.#head.kind === 'link') this.#target.push(Buffer.from(part))
    else this.#hash.update(part)
  }

  broken(): BrokenRule | undefined {
    const rule = isUtf8(Buffer.concat(this.#target)) ? brokenBy(this.#path) : 'path_not_utf8'
    return rule === undefined ? undefined : { rule, path: this.#head.path }
  }

  entry(): LeftEntry {
    const { kind, byteSize } = this.#head
    const path = this.#path.toString('utf8')
    const mode = this.#head.mode & permissionBits
    if (kind === 'folder') return { kind, path, mode }
    if (kind === 'link') return { kind, path, target: Buffer.concat(this.#target).toString('utf8') }
    return { kind, path, mode, byteSize, digest: `sha256:${this.#hash.digest('hex')}` }
  }
}

function brokenBy(path: Buffer): string | undefined {
  if (!isUtf8(path)) return 'path_not_utf8'
  const text = path.toString('utf8')
  if (!plainPath.test(text)) return 'control_character'
  return text.split('/').length > sessionDepthMax ? 'path_too_deep' : undefined
}

/** The bytes of those entries of a collected folder for which `isWanted` is true by their position. */
export async function* wantedBytes(
  bytes: AsyncIterable<Buffer>,
  isWanted: (position: number) => boolean,
): AsyncGenerator<Buffer, void> {
  let position = -1
  for await (const part of folderParts(bytes)) {
    if (!Buffer.isBuffer(part)) position += 1
    else if (isWanted(position)) yield part
  }
}
