import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { builtFolder, readManifest, sha256Hex, sourcesDigest } from './manifest.ts'
import type { NativeName } from './programs.ts'

/** The built native programs do not match the sources of this tree. */
export class NativeProgramsRefused extends Error {
  override readonly name = 'NativeProgramsRefused'

  constructor(what: string) {
    super(`${what}: run install/native.sh`)
  }
}

/**
 * Copies built programs into `folder/<digest>` and returns their paths there. Fails closed: only bytes whose SHA-256 is in the
 * manifest are written, and files of an earlier start are read and compared again. Running processes keep the folder of their
 * own build.
 */
export function installedPrograms<const Name extends NativeName>(
  folder: string,
  names: readonly Name[],
  built = builtFolder,
): Record<Name, string> {
  const digests = digestsOf(names, built)
  const target = join(folder, sha256Hex(JSON.stringify(digests)).slice(0, 16))
  if (!isInstalled(target, digests)) install({ folder, target, digests, built })
  return Object.fromEntries(names.map((name) => [name, join(target, name)])) as Record<Name, string>
}

/** Digests of these programs in the manifest. Refuses if the manifest is of other sources. */
function digestsOf<const Name extends NativeName>(
  names: readonly Name[],
  built: string,
): Record<Name, string> {
  const manifest = readManifest(built)
  if (!manifest) throw new NativeProgramsRefused('the native programs are not built')
  if (manifest.sources !== sourcesDigest()) {
    throw new NativeProgramsRefused('the native programs are built from other sources')
  }
  return Object.fromEntries(names.map((name) => [name, manifest.programs[name]])) as Record<Name, string>
}

interface Installation {
  folder: string
  target: string
  digests: Record<string, string>
  built: string
}

function install({ folder, target, digests, built }: Installation): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const fresh = mkdtempSync(join(folder, 'new-'))
  try {
    for (const [name, digest] of Object.entries(digests)) {
      const bytes = readOrUndefined(join(built, name))
      if (!bytes) throw new NativeProgramsRefused(`the native program ${name} is missing`)
      if (sha256Hex(bytes) !== digest) {
        throw new NativeProgramsRefused(`the native program ${name} is not the one that was built`)
      }
      writeFileSync(join(fresh, name), bytes)
      chmodSync(join(fresh, name), 0o755)
    }
    chmodSync(fresh, 0o755)
    if (existsSync(target) && !isInstalled(target, digests)) rmSync(target, { recursive: true })
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another process may have installed it concurrently.
    if (!isInstalled(target, digests)) throw error
  }
}

const isInstalled = (target: string, digests: Record<string, string>): boolean =>
  Object.entries(digests).every(([name, digest]) => digestOf(join(target, name)) === digest)

const digestOf = (path: string): string | undefined => {
  const bytes = readOrUndefined(path)
  return bytes && sha256Hex(bytes)
}

function readOrUndefined(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
