import { existsSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const zipped = promisify(gzip)
const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }

/** Of what is compressed already, or read as it is. */
const text = /\.(js|css|svg|txt)$/

/**
 * Copies the console that `npm run console` has built, with each text as Brotli and gzip beside it: `main.js`, `main.js.br`,
 * `main.js.gz`. Without a build there is no folder.
 */
export async function packConsole(root: string, folder: string): Promise<void> {
  const built = join(root, 'console/dist')
  if (!existsSync(built)) return
  await cp(built, folder, { recursive: true })
  const names = await readdir(folder, { recursive: true })
  for (const name of names.filter((each) => text.test(each))) {
    const bytes = await readFile(join(folder, name))
    await writeFile(join(folder, `${name}.br`), await brotli(bytes, best))
    await writeFile(join(folder, `${name}.gz`), await zipped(bytes, { level: 9 }))
  }
}
