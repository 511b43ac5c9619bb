import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flagsOf, type NativeName, nativePrograms } from './programs.ts'

/** Where the build writes the programs and `manifest.json`. A release carries this folder. */
export const builtFolder = join(import.meta.dirname, 'built')

export interface Manifest {
  /** SHA-256 over the sources and the flags that the programs were built from. */
  sources: string
  /** First line of the compiler's version. */
  compiler: string
  /** SHA-256 of each program. */
  programs: Record<NativeName, string>
}

export const sha256Hex = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** SHA-256 over the sources and flags of this tree. */
export function sourcesDigest(): string {
  const hash = createHash('sha256').update(JSON.stringify([nativePrograms, flagsOf].map(withoutFolders)))
  const folders = new Set(Object.values(nativePrograms).map(({ folder }) => folder))
  for (const folder of folders) {
    for (const path of globSync('**/*.{c,h,map}', { cwd: folder }).sort()) {
      hash.update(`${path}\0`).update(sha256Hex(readFileSync(join(folder, path))))
    }
  }
  return hash.digest('hex')
}

/** Omits folders, so that the digest does not depend on the location of the tree. */
const withoutFolders = (value: object) =>
  JSON.stringify(value, (key, part: unknown) => (key === 'folder' ? undefined : part))

/** The manifest of a build; undefined if there is none. */
export function readManifest(built: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}
