import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { OwnService } from '../../../e2e/main-job/service.ts'
import type { Search } from '../search.ts'

const unpack = promisify(gunzip)

/** Makes a backup as an operator does, beside the data folder, and searches it: its files as they are, and what is in packed ones. */
export async function searchBackup(service: OwnService, searches: readonly Search[]): Promise<string[][]> {
  const parent = await mkdtemp(`${service.dataDir}-backup-`)
  const folder = join(parent, 'backup')
  try {
    await service.sandbox('operator', 'backup', folder)
    return await Promise.all(searches.map((search) => searchFolder(search, folder)))
  } finally {
    await rm(parent, { recursive: true })
  }
}

async function searchFolder(search: Search, folder: string): Promise<string[]> {
  const found = await search.below(folder)
  const names = await readdir(folder, { recursive: true })
  const packed = names.filter((name) => name.endsWith('.gz'))
  if (packed.length === 0) found.push('a backup without packed files')
  for (const name of packed)
    found.push(...search.in(`backup ${name}`, await unpack(await readFile(join(folder, name)))))
  return found
}
