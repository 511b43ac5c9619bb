import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import manifest from '../server/package.json' with { type: 'json' }
import { unexplained } from './described-api.ts'
import { writeDocument } from './generated-document.ts'
import { jsonLines } from './json-lines.ts'

/**
 * Writes docs/openapi.json from the route table; with `--check` only reports whether it is up to date. Either way it fails for
 * what the document leaves unexplained.
 */
const document = openApiDocument({ version: manifest.version })

writeDocument('openapi.json', `${jsonLines(document)}\n`, {
  source: 'contract/routes says',
  command: 'npm run openapi',
})

const problems = unexplained(document)
if (problems.length > 0) {
  console.error([...problems, `The API document does not explain ${problems.length} things.`].join('\n'))
  process.exitCode = 1
}
