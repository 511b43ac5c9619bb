import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ListedFile } from '../file-list.ts'
import type { Manifest } from '../manifest.ts'
import { DigestedStream } from '../streams.ts'
import { decryption, encryption } from './age.ts'

/*
 * The files of a backup that may be encrypted: all but its list of files and its manifest. An encrypted file has the ending `.age`, and
 * the list has its path, size and digest as it is on the disk, so that a backup can be verified without an identity.
 */

const ending = '.age'

/** None: the files are not encrypted. */
type Recipients = Pick<Manifest, 'recipients'>

export const isEncrypted = ({ recipients = [] }: Recipients): boolean => recipients.length > 0

/** Path of a file in a backup, from its path without the ending. */
export const pathInBackup = (path: string, recipients: Recipients): string =>
  isEncrypted(recipients) ? `${path}${ending}` : path

/** The reverse. */
export const plainPath = (path: string, recipients: Recipients): string =>
  isEncrypted(recipients) ? plainName(path).name : path

/** The name of a file without the ending of an encrypted one, and whether it has this ending. */
export function plainName(stored: string): { name: string; isEncrypted: boolean } {
  const isSealed = stored.endsWith(ending)
  return { name: isSealed ? stored.slice(0, -ending.length) : stored, isEncrypted: isSealed }
}

export interface BackupTarget {
  /** Folder of the backup. */
  target: string
  /** None: the files are not encrypted. */
  recipients: readonly string[]
  signal?: AbortSignal | undefined
}

/** Writes a file of a backup. Its path is below the folder, without the ending. */
export async function writeBackupFile(
  content: [Readable, ...Duplex[]],
  path: string,
  { target, recipients, signal }: BackupTarget,
): Promise<ListedFile> {
  const name = pathInBackup(path, { recipients })
  const digested = new DigestedStream()
  const sealed = isEncrypted({ recipients }) ? [encryption(recipients, signal)] : []
  const file = createWriteStream(join(target, name), { mode: 0o600, flags: 'wx' })
  await pipeline([...content, ...sealed, digested, file], { signal })
  return { path: name, byteSize: digested.byteSize, sha256: digested.sha256 }
}

export interface BackupSource {
  /** Folder of the backup. */
  source: string
  manifest: Manifest
  /** Opens an encrypted one. */
  identityFile: string | undefined
}

/** The content of a file, by its path without the ending: the streams of a pipeline, to be continued. */
export function contentOf(
  { source, manifest, identityFile }: BackupSource,
  path: string,
): [Readable, ...Duplex[]] {
  return plainContent({
    file: join(source, pathInBackup(path, manifest)),
    isEncrypted: isEncrypted(manifest),
    identityFile,
  })
}

export interface StoredFile {
  /** Absolute path. */
  file: string
  isEncrypted: boolean
  /** Opens an encrypted one. */
  identityFile: string | undefined
}

/** The content of any file that is stored as those of a backup are. */
export function plainContent({ file, isEncrypted, identityFile }: StoredFile): [Readable, ...Duplex[]] {
  const content = createReadStream(file)
  if (!isEncrypted) return [content]
  if (identityFile === undefined) throw new Error('an encrypted backup is read without an identity')
  return [content, decryption(identityFile)]
}
