import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MadeBase } from '../port/platform.ts'

/** An entry of the operator's catalogue of base images, as it is in the file. */
export interface CatalogueEntry {
  /** As Dockerfiles name it in `FROM`. */
  name: string
  packages: string[]
  /** The Debian release. If absent, `bookworm`. */
  suite?: 'bookworm' | 'trixie'
  preset?: string
  /** A user of the image with the id 1000. */
  user?: string
  languages?: { name: string; version: string }[]
  byte_size?: number
  made_at: string
  /** Revision of the recipe. If absent, 1. */
  revision?: number
}

/** The catalogue is beside the store `baseImages`; only root writes it. */
export const catalogueFile = (baseImages: string): string => join(baseImages, '..', 'base-images.json')

/** Empty if the operator made none. */
export async function readCatalogue(baseImages: string): Promise<CatalogueEntry[]> {
  const text = await readFile(catalogueFile(baseImages), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  return JSON.parse(text) as CatalogueEntry[]
}

export const madeBase = ({ suite = 'bookworm', packages, ...entry }: CatalogueEntry): MadeBase => ({
  debian: suite,
  packages,
  madeAt: entry.made_at,
  ...(entry.preset !== undefined && { preset: entry.preset }),
  ...(entry.languages && { languages: entry.languages }),
  ...(entry.byte_size !== undefined && { byteSize: entry.byte_size }),
})
