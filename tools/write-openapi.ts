import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openApiDocument } from '@sandbox-jobs/contract/openapi.ts'
import manifest from '../server/package.json' with { type: 'json' }
import { writeDocument } from './generated-document.ts'

/** Writes docs/openapi.json from the route table; with `--check` only reports whether it is up to date. */
const root = join(import.meta.dirname, '..')
const biome = join(root, 'node_modules/.bin/biome')

// The file is formatted like all others, so that its changes can be reviewed.
const text = execFileSync(biome, ['format', '--stdin-file-path=docs/openapi.json'], {
  cwd: root,
  input: JSON.stringify(openApiDocument({ version: manifest.version }), null, 2),
  encoding: 'utf8',
})

writeDocument('openapi.json', text, {
  source: 'contract/routes says',
  command: 'node tools/write-openapi.ts',
})
