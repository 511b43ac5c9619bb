import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  name?: string
  version?: string
  dependencies?: Record<string, string>
}

const manifests = [
  '.',
  'agent',
  'cli',
  'client',
  'console',
  'contract',
  'kubernetes',
  'reader',
  'server',
].map((folder) => join(folder, 'package.json'))
const lock = 'package-lock.json'
const changelog = 'CHANGELOG.md'

/** The files below `root` that name the version of a release, as they have to be for this one, by path. */
export function filesOfVersion(root: string, version: string): Record<string, string> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const files: Record<string, string> = {}
  for (const path of manifests) {
    const manifest = JSON.parse(read(path)) as Manifest
    setVersion(manifest, version)
    files[path] = jsonText(manifest)
  }
  const locked = JSON.parse(read(lock)) as Manifest & { packages: Record<string, Manifest> }
  locked.version = version
  for (const [path, manifest] of Object.entries(locked.packages))
    if (!path.includes('node_modules/')) setVersion(manifest, version)
  files[lock] = jsonText(locked)
  const changes = read(changelog)
  files[changelog] = changes.includes(`\n## ${version}\n`)
    ? changes
    : changes.replace('\n## Unreleased\n', `\n## Unreleased\n\n## ${version}\n`)
  return files
}

/** A workspace needs the others in the same version. */
function setVersion(manifest: Manifest, version: string): void {
  manifest.version = version
  for (const name of Object.keys(manifest.dependencies ?? {}))
    if (name.startsWith('@sandbox-jobs/'))
      manifest.dependencies = { ...manifest.dependencies, [name]: version }
}

const jsonText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
