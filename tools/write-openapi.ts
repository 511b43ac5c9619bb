import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import manifest from '../server/package.json' with { type: 'json' }
import { clientFiles } from './client/client-files.ts'
import { unexplained } from './described-api.ts'
import { writeDocument, writeGenerated } from './generated-document.ts'
import { jsonLines } from './json-lines.ts'

/**
 * Writes docs/openapi.json and the generated files of the package `client` from the route table; with `--check` only reports
 * whether they are up to date. Either way it fails for
 * what the document leaves unexplained.
 */
const document = openApiDocument({ version: manifest.version })

const text = `${jsonLines(document)}\n`

const origin = { source: 'contract/routes says', command: 'npm run openapi' }
writeDocument('openapi.json', text, origin)
for (const [name, made] of Object.entries(clientFiles())) writeGenerated(name, made, origin)

const problems = unexplained(document)
if (problems.length > 0) {
  console.error([...problems, `The API document does not explain ${problems.length} things.`].join('\n'))
  process.exitCode = 1
}
