import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { sessionDepthMax, sessionNamesMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { sessionPathPattern } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { type FolderEntryHead, folderParts } from '../../../agent/port/folder-entries.ts'
import { fileTime } from '../../../reader/formats/file-time.ts'
import { permissionBits, type TreeEntry, type TreeFile } from '../trees/tree.ts'

/** An entry of the folder that a run left; where the bytes of a file are stored is decided when all are known. */
export type LeftEntry = Exclude<TreeEntry, TreeFile> | LeftFile

export interface LeftFile extends Omit<TreeFile, 'pack' | 'offset'> {
  /** The session has its bytes, and the collected folder has not. */
  isKnown: boolean
}

/** The rule that a folder breaks, and the path that breaks it as raw bytes in latin1. */
export interface BrokenRule {
  rule: string
  path: string
}

const plainPath = new RegExp(sessionPathPattern, 'u')

/**
 * The entries of a collected folder, with the digests of its files, in its order; or the first rule that a name breaks, or all of
 * them together. Sizes, kinds and numbers were checked when the folder was collected. `namesMaxBytes`: of all paths and links.
 */
export async function readLeftFolder(
  bytes: AsyncIterable<Buffer>,
  namesMaxBytes = sessionNamesMaxBytes,
): Promise<LeftEntry[] | BrokenRule> {
  const entries: LeftEntry[] = []
  let reading: EntryReader | undefined
  let broken: BrokenRule | undefined
  let nameBytes = 0
  const finish = () => {
    if (!reading) return
    broken ??= reading.broken()
    if (!broken) entries.push(reading.entry())
  }
  for await (const part of folderParts(bytes)) {
    if (Buffer.isBuffer(part)) reading?.take(part)
    else {
      finish()
      reading = new EntryReader(part)
      nameBytes += part.path.length + (part.kind === 'link' ? part.byteSize : 0)
      if (nameBytes > namesMaxBytes) broken ??= { rule: 'names_too_long', path: part.path }
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
  /** The target of a link, or the digest of a known file. */
  readonly #text: Buffer[] = []

  constructor(head: FolderEntryHead) {
    this.#head = head
    this.#path = Buffer.from(head.path, 'latin1')
  }

  take(part: Buffer): void {
    if (this.#head.kind === 'file') this.#hash.update(part)
    else this.#text.push(Buffer.from(part))
  }

  broken(): BrokenRule | undefined {
    const isText = this.#head.kind !== 'link' || isUtf8(Buffer.concat(this.#text))
    const rule = isText ? brokenBy(this.#path) : 'path_not_utf8'
    return rule === undefined ? undefined : { rule, path: this.#head.path }
  }

  entry(): LeftEntry {
    const { kind, byteSize } = this.#head
    const path = this.#path.toString('utf8')
    const mode = this.#head.mode & permissionBits
    const modifiedAt = fileTime(this.#head.modifiedAt)
    if (kind === 'folder') return { kind, path, mode, modifiedAt }
    if (kind === 'link') return { kind, path, target: Buffer.concat(this.#text).toString('utf8') }
    const isKnown = kind === 'known'
    const digest = isKnown ? Buffer.concat(this.#text).toString('hex') : this.#hash.digest('hex')
    return { kind: 'file', path, mode, byteSize, modifiedAt, digest: `sha256:${digest}`, isKnown }
  }
}

function brokenBy(path: Buffer): string | undefined {
  if (!isUtf8(path)) return 'path_not_utf8'
  const text = path.toString('utf8')
  if (!plainPath.test(text)) return 'control_character'
  return text.split('/').length > sessionDepthMax ? 'path_too_deep' : undefined
}
