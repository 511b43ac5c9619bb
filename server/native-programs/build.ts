import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder, type Manifest, readManifest, sha256Hex, sourcesDigest } from './manifest.ts'
import { flagsOf, type NativeName, type NativeProgram, nativePrograms } from './programs.ts'

/*
 * Builds the native programs, unless those of the present sources exist. install/native.sh runs this; with --check it builds
 * nothing and exits with 1 if a build is needed.
 */

/** True if every program is built from the present sources. */
function isBuilt(): boolean {
  const manifest = readManifest(builtFolder)
  if (manifest?.sources !== sourcesDigest()) return false
  return Object.entries(manifest.programs).every(([name, digest]) => {
    try {
      return sha256Hex(readFileSync(join(builtFolder, name))) === digest
    } catch {
      return false
    }
  })
}

function build(): void {
  const sources = sourcesDigest()
  const compiler = execFileSync('cc', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? 'cc'
  const fresh = mkdtempSync(`${builtFolder}-`)
  try {
    const programs: [string, NativeProgram][] = Object.entries(nativePrograms)
    const digests = programs.map(([name, { kind, folder, sources, flags = [], libraries = [] }]) => {
      const output = join(fresh, name)
      execFileSync('cc', [...flagsOf[kind], ...flags, '-o', output, ...sources, ...libraries], {
        cwd: folder,
        stdio: 'inherit',
      })
      chmodSync(output, 0o755)
      return [name, sha256Hex(readFileSync(output))]
    })
    const built = Object.fromEntries(digests) as Record<NativeName, string>
    const manifest: Manifest = { sources, compiler, programs: built }
    writeFileSync(join(fresh, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
    for (const path of [fresh, join(fresh, 'manifest.json')]) chmodSync(path, path === fresh ? 0o755 : 0o644)
    rmSync(builtFolder, { recursive: true, force: true })
    renameSync(fresh, builtFolder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const found = isBuilt()
if (process.argv.includes('--check')) process.exitCode = found ? 0 : 1
else if (!found) {
  try {
    build()
  } catch (error) {
    // The compiler has printed its errors.
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
