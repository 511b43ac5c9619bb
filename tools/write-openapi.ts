import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import manifest from '../server/package.json' with { type: 'json' }
import { clientFiles } from './client/client-files.ts'
import { unexplained } from './described-api.ts'
import { writeDocument, writeGenerated } from './generated-document.ts'

/**
 * Writes docs/openapi.json and the generated files of the package `client` from the route table; with `--check` only reports
 * whether they are up to date. Either way it fails for
 * what the document leaves unexplained.
 */
const root = join(import.meta.dirname, '..')
const biome = join(root, 'node_modules/.bin/biome')
const document = openApiDocument({ version: manifest.version })

// The file is formatted like all others, so that its changes can be reviewed.
const text = execFileSync(biome, ['format', '--stdin-file-path=docs/openapi.json'], {
  cwd: root,
  input: JSON.stringify(document, null, 2),
  encoding: 'utf8',
  maxBuffer: 16 * 1024 ** 2,
})

const origin = { source: 'contract/routes says', command: 'npm run openapi' }
writeDocument('openapi.json', text, origin)
for (const [name, made] of Object.entries(clientFiles())) writeGenerated(name, made, origin)

const problems = unexplained(document)
if (problems.length > 0) {
  console.error([...problems, `The API document does not explain ${problems.length} things.`].join('\n'))
  process.exitCode = 1
}
