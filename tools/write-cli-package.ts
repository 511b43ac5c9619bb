import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packCli } from '../server/main/pack-cli.ts'

/**
 * `node tools/write-cli-package.ts FOLDER`: writes the npm package of the command into a new folder, for `npm pack`. Its
 * one program is the file that the service serves.
 */
const root = join(import.meta.dirname, '..')
const [, , folder = ''] = process.argv
if (folder === '') {
  console.error('usage: node tools/write-cli-package.ts FOLDER')
  process.exit(2)
}

const { name, version, description, license } = JSON.parse(
  await readFile(join(root, 'cli/package.json'), 'utf8'),
) as Record<string, string>

const manifest = {
  name,
  version,
  description,
  license,
  type: 'commonjs',
  bin: { sandbox: 'sandbox' },
  files: ['sandbox'],
  engines: { node: '>=20' },
  os: ['linux', 'darwin'],
}

await mkdir(folder)
await packCli(root, join(folder, 'sandbox'))
await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
await copyFile(join(root, 'cli/README.md'), join(folder, 'README.md'))
await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
