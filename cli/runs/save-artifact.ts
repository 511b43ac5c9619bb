import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { checkedSegments } from './artifact-path.ts'

export interface Destination {
  /** The folder that the user named. It may be a link; nothing below it may be one. */
  folder: string
  relativePath: string
  byteSize: number
  digest: string
  /** Time of the file; undefined if it is not known. */
  modifiedAt?: Date | undefined
  replace: boolean
}

/**
 * Saves one artifact below the folder and returns its path. Intermediate folders are created or must be real folders.
 * The file appears under its name only if size and digest match, and replaces an existing file only with `replace`.
 */
export async function saveArtifact(
  bytes: ReadableStream<Uint8Array>,
  destination: Destination,
): Promise<string> {
  const { folders, name } = checkedSegments(destination.relativePath)
  await mkdir(destination.folder, { recursive: true })
  let folder = destination.folder
  for (const segment of folders) {
    folder = join(folder, segment)
    await realFolder(folder)
  }
  const target = join(folder, name)
  const present = await lstat(target).catch(() => undefined)
  if (present && (!destination.replace || present.isDirectory())) throw isThere(target)
  const part = join(folder, `.${process.pid}.part`)
  try {
    await writeChecked(part, bytes, destination)
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return target
}

async function realFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  if (!(await lstat(path)).isDirectory()) {
    throw new CliError(`${escapeControls(path)} exists and is not a folder.`, {
      hint: 'Choose another folder with --out.',
      code: 'cli_in_the_way',
    })
  }
}

async function writeChecked(
  part: string,
  bytes: ReadableStream<Uint8Array>,
  wanted: Destination,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = await open(part, flags, 0o644)
  try {
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > wanted.byteSize) break
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    if (size !== wanted.byteSize || `sha256:${hash.digest('hex')}` !== wanted.digest)
      throw notAsListed(wanted)
    if (wanted.modifiedAt) await file.utimes(wanted.modifiedAt, wanted.modifiedAt)
  } finally {
    await file.close()
  }
}

const isThere = (path: string) =>
  new CliError(`${escapeControls(path)} already exists.`, {
    hint: 'Replace files with --force, or choose another folder with --out.',
    code: 'cli_in_the_way',
  })

const notAsListed = ({ relativePath }: Destination) =>
  new CliError(
    `The download of ${escapeControls(relativePath)} does not match the size and digest that the service lists.`,
    {
      hint: 'The transfer was interrupted or corrupted: try again.',
      code: 'cli_download',
    },
  )
