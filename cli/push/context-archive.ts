import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { contextArchiveMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { ArchiveFormat } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { CliError } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { bytesText } from '../output/sizes.ts'

/** An archive of a build context. */
export interface ContextArchive {
  path: string
  format: ArchiveFormat
  byteSize: number
  /** `sha256:` and 64 hex digits. */
  digest: string
}

export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/** An archive that the user made. It is uploaded as it is: the service applies its ignore file. */
export async function readContextArchive(path: string): Promise<ContextArchive> {
  const format = await formatOf(path)
  const { size: byteSize } = await stat(path)
  if (byteSize > contextArchiveMaxBytes) throw tooLarge(path)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { path, format, byteSize, digest: `sha256:${hash.digest('hex')}` }
}

/** Bytes by which a format is known, and where they are. */
const marks: Record<ArchiveFormat, { at: number; hex: string }> = {
  zip: { at: 0, hex: '504b0304' },
  'tar.gz': { at: 0, hex: '1f8b' },
  tar: { at: 257, hex: '7573746172' },
}

async function formatOf(path: string): Promise<ArchiveFormat> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    const head = buffer.subarray(0, bytesRead).toString('hex')
    for (const [format, { at, hex }] of Object.entries(marks))
      if (head.startsWith(hex, at * 2)) return format as ArchiveFormat
    throw notAnArchive(path)
  } finally {
    await file.close()
  }
}

const notAnArchive = (path: string) =>
  new CliError(`${escapeControls(path)} is neither a folder nor a zip, tar or tar.gz archive.`, {
    hint: 'Name the folder with the Dockerfile, or an archive that has the Dockerfile at its top.',
    code: 'cli_context',
  })

const tooLarge = (path: string) =>
  new CliError(`${escapeControls(path)} is larger than ${bytesText(contextArchiveMaxBytes)}.`, {
    hint: 'Leave out what the build does not need; packages belong in a base image.',
    code: 'cli_context',
  })
