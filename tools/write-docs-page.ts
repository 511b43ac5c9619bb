import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Writes the script of the page at `/docs` from server/http/reference/browser; with `--check` only reports whether it is up to
 * date. The page holds the script as a whole, and its content security policy the digest of it.
 */
const folder = join(import.meta.dirname, '../server/http/reference')
const path = join(folder, 'page-script.generated.js')

const bundle = await rolldown({ input: join(folder, 'browser/main.ts'), platform: 'browser' })
const { output } = await bundle.generate({ format: 'esm' })
const text = `// Made by tools/write-docs-page.ts from the folder browser; do not edit.\n${output[0].code}`

if (!process.argv.includes('--check')) {
  writeFileSync(path, text)
} else if (readFileSync(path, 'utf8') !== text) {
  console.error('page-script.generated.js differs from its folder browser: npm run docs-page writes it')
  process.exitCode = 1
}
