import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { parseTarHeader } from '../../reader/formats/tar/tar-header.ts'
import { firstBytes } from '../base/first-bytes.ts'
import { ImageUntrusted, type LayoutFiles } from './provenance/verify-image.ts'

/** A layout whose files can be listed, so that extra files are found. */
export interface ListedLayout extends LayoutFiles {
  list(): Promise<string[]>
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** A layout in a folder. Links in it are not followed. */
export const folderLayout = (folder: string): ListedLayout => ({
  async list() {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  },
  async read(path, maxBytes) {
    if ((await fileSize(join(folder, path))) === undefined) return undefined
    const file = await openFile(join(folder, path))
    return firstBytes(file, maxBytes).finally(() => file.close())
  },
  size: (path) => fileSize(join(folder, path)),
  open: async (path) => (await openFile(join(folder, path))).createReadStream(),
})

/** Undefined if the path is missing or not a file. */
async function fileSize(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  return found?.isFile() ? found.size : undefined
}

const openFile = (path: string) => open(path, constants.O_RDONLY | constants.O_NOFOLLOW)

const blockBytes = 512
const maxEntries = 1000

/** A layout in one tar. Its headers are read once; nothing is unpacked. */
export async function tarLayout(path: string): Promise<ListedLayout> {
  const locations = await readLocations(path)
  return {
    list: async () => [...locations.keys()],
    async read(name, maxBytes) {
      const location = locations.get(name)
      if (!location) return undefined
      const file = await open(path, 'r')
      return firstBytes(file, Math.min(location.byteSize, maxBytes), location.start).finally(() =>
        file.close(),
      )
    },
    size: async (name) => locations.get(name)?.byteSize,
    async open(name) {
      const location = locations.get(name)
      if (!location) throw new ImageUntrusted('archive_invalid')
      if (location.byteSize === 0) return Readable.from([])
      const file = await open(path, 'r')
      return file.createReadStream({ start: location.start, end: location.start + location.byteSize - 1 })
    },
  }
}

interface FileLocation {
  start: number
  byteSize: number
}

async function readLocations(path: string): Promise<Map<string, FileLocation>> {
  const locations = new Map<string, FileLocation>()
  const file = await open(path, 'r')
  try {
    const block = Buffer.alloc(blockBytes)
    for (let at = 0, entries = 0; ; entries += 1) {
      const { bytesRead } = await file.read(block, 0, blockBytes, at)
      if (bytesRead < blockBytes || entries > maxEntries) throw new ImageUntrusted('archive_invalid')
      if (block.every((byte) => byte === 0)) return locations
      const header = headerOf(block)
      const name = header.name.toString('utf8').replace(/^\.\//, '')
      const start = at + blockBytes
      if (header.type === '0') {
        if (locations.has(name)) throw new ImageUntrusted('archive_invalid')
        locations.set(name, { start, byteSize: header.byteSize })
      } else if (header.type !== '5') throw new ImageUntrusted('archive_invalid')
      at = start + Math.ceil(header.byteSize / blockBytes) * blockBytes
    }
  } finally {
    await file.close()
  }
}

function headerOf(block: Buffer) {
  try {
    return parseTarHeader(block)
  } catch {
    throw new ImageUntrusted('archive_invalid')
  }
}
