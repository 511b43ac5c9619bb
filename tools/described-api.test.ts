import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { expect, test } from 'vitest'
import { unexplained } from './described-api.ts'

interface Described {
  description?: string | undefined
  example?: unknown
  examples?: unknown[] | undefined
  properties: Record<string, Described>
  items: Described
  anyOf: [Described]
}
interface Document {
  components: { schemas: Record<string, Described>; examples: { Token: { value: object } } }
  paths: Record<string, { post: { parameters: [Described, Described] } }>
}

const documentWith = (change: (document: Document) => void) => {
  const document = structuredClone(openApiDocument({ version: '0.1.0' }))
  change(document as unknown as Document)
  return unexplained(document)
}
const field = ({ components }: Document, schema: string, name: string): Described => {
  const found = components.schemas[schema]?.properties[name]
  if (!found) throw new Error(`the document has no field ${schema}.${name}`)
  return found
}
const submit = allRoutes.submitRun.path

test('the document explains everything', () => {
  expect(documentWith(() => {})).toEqual([])
})

test('a field without a description is named with its file', () => {
  const [line, ...others] = documentWith((document) => {
    delete field(document, 'RunDetail', 'eta_seconds').description
  })
  expect(line).toMatch(
    /^contract\/resources\/runs\/run\.ts: RunDetail\.eta_seconds has no description: .*about\(/,
  )
  expect(others).toEqual([])
})

test('a text or a number without an example is named', () => {
  const lines = documentWith((document) => {
    delete field(document, 'Region', 'location').examples
    const unread = field(document, 'ScanReport', 'unread')
    delete unread.examples
    delete unread.items.properties.path?.examples
  })
  expect(lines.map((line) => line.split(' has no example')[0])).toEqual([
    'contract/resources/builds/scan-report.ts: ScanReport.unread.path',
    'contract/resources/environments/region.ts: Region.location',
  ])
})

test('an example that does not satisfy its schema is named', () => {
  const lines = documentWith((document) => {
    field(document, 'RunDetail', 'status').examples = ['finished']
    Object.assign(document.components.examples.Token.value, { expires_in: '3600' })
    Object.assign(document.paths[submit]?.post.parameters[0] ?? {}, { example: '../roo' })
  })
  expect(lines).toEqual([
    expect.stringMatching(/token\.ts: Token has an example .*expires_in must be integer/),
    expect.stringMatching(/run\.ts: RunDetail\.status has an example .*one of the allowed values/),
    expect.stringMatching(/run-routes\.ts: submitRun, path parameter cid has an example .*pattern/),
  ])
})

test('fields of events and parameters need a description too', () => {
  const lines = documentWith(({ components, paths }) => {
    delete components.schemas.RunLogEvent?.anyOf[0].properties.text?.description
    delete paths[submit]?.post.parameters[1].description
  })
  expect(lines).toEqual([
    expect.stringContaining('log-event.ts: RunLogEvent.text has no description'),
    expect.stringContaining('run-routes.ts: submitRun, header parameter Idempotency-Key has no description'),
  ])
})
