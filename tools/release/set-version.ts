import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOfVersion } from './versions.ts'

/**
 * `node tools/release/set-version.ts VERSION`: writes the version into each package.json and package-lock.json, and makes what is unreleased
 * in CHANGELOG.md its section. With `--check` it changes nothing, names the files that differ, and exits with 1 if there are any.
 */
const root = join(import.meta.dirname, '../..')
const [version = '', option] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version) || (option !== undefined && option !== '--check')) {
  console.error('usage: node tools/release/set-version.ts MAJOR.MINOR.PATCH [--check]')
  process.exit(2)
}
const differ = Object.entries(filesOfVersion(root, version)).filter(
  ([path, text]) => readFileSync(join(root, path), 'utf8') !== text,
)
for (const [path, text] of differ) {
  console.log(path)
  if (option === undefined) writeFileSync(join(root, path), text)
}
if (option === '--check' && differ.length > 0) process.exitCode = 1
