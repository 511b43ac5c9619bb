import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@sandbox-jobs/contract/openapi.ts'
import manifest from '../package.json' with { type: 'json' }

/** Writes docs/openapi.json from the route table; with `--check` only says whether it is up to date. */
const root = join(import.meta.dirname, '../..')
const path = join(root, 'docs/openapi.json')
const biome = join(root, 'node_modules/.bin/biome')

// The file is formatted as every other, so that it can be read and its changes reviewed.
const text = execFileSync(biome, ['format', '--stdin-file-path=docs/openapi.json'], {
  cwd: root,
  input: JSON.stringify(openApiDocument({ version: manifest.version }), null, 2),
  encoding: 'utf8',
})

if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== text) {
    console.error(
      'docs/openapi.json is not what contract/routes says: node server/testing/write-openapi.ts writes it',
    )
    process.exitCode = 1
  }
} else {
  writeFileSync(path, text)
}
