import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'

/** A file of the console as it is sent. */
export interface ConsoleFile {
  type: string
  etag: string
  plain: Buffer
  /** Absent: it is not compressed. */
  br?: Buffer | undefined
  gzip?: Buffer | undefined
}

/** The built console: its page, and every other file by its path below the folder. */
export interface BuiltConsole {
  page: string
  files: ReadonlyMap<string, ConsoleFile>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
}
/** Reads one page and all files of the folder that `pack-console.ts` writes; undefined if the console has not been built. */
export async function readConsole(folder: string, pageName: string): Promise<BuiltConsole | undefined> {
  const read = (name: string) => readFile(join(folder, name))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  if (!names.includes(pageName)) return undefined
  const present = new Set(names)
  const files = new Map<string, ConsoleFile>()
  for (const name of names) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const plain = await read(name)
    files.set(name, {
      type,
      etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`,
      plain,
      br: present.has(`${name}.br`) ? await read(`${name}.br`) : undefined,
      gzip: present.has(`${name}.gz`) ? await read(`${name}.gz`) : undefined,
    })
  }
  return { page: String(await read(pageName)), files }
}
