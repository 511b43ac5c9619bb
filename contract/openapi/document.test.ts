import { expect, test } from 'vitest'
import { namedSchemas } from '../resources/index.ts'
import { allRoutes } from '../routes/index.ts'
import type { Route } from '../routes/route.ts'
import { openApiDocument } from './document.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string }[]
  responses: Record<string, object>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<'schemas' | 'responses', Record<string, unknown>>
}

const text = JSON.stringify(openApiDocument({ version: '0.1.0' }))
const document = JSON.parse(text) as Document
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
const routes = Object.entries<Route>(allRoutes)

test('every route is an operation', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(allRoutes).sort())
})

test.each(['schemas', 'responses'] as const)(
  '%s: every reference names one, and every one is used',
  (kind) => {
    const references = text.matchAll(new RegExp(`"#/components/${kind}/(\\w+)"`, 'g'))
    const named = new Set([...references].map(([, name]) => name))
    expect([...named].sort()).toEqual(Object.keys(document.components[kind]).sort())
  },
)

test('no response is there twice, and parameters are where agent platforms read them', () => {
  const responses = operations.flatMap((operation) => Object.values(operation.responses))
  const own = responses.filter((response) => !('$ref' in response)).map((one) => JSON.stringify(one))
  const shared = Object.values(document.components.responses).map((one) => JSON.stringify(one))
  expect(new Set([...own, ...shared]).size).toBe(own.length + shared.length)
  for (const { parameters } of operations) for (const one of parameters) expect(one).toHaveProperty('name')
})

test('no field has a default, which generators take for a field that is always there', () => {
  expect(
    Object.entries(document.components.schemas).filter(([, schema]) =>
      /"default":/.test(JSON.stringify(schema)),
    ),
  ).toEqual([])
  expect(JSON.stringify(document.components.schemas.RunAndWaitRequest)).toContain('The default is `60`.')
})

test.each(routes)('%s: its body and its answer have names', (_, route) => {
  const schemas: unknown[] = Object.values(namedSchemas)
  if (route.body) expect(schemas).toContain(route.body)
  if (route.response) expect(schemas).toContain(route.response)
})

test('credentials, idempotency keys and upload capabilities show', () => {
  const submit = operations.find(({ operationId }) => operationId === 'submitRun')
  expect(Object.keys(submit?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '409', '418', '422', '429']),
  )
  expect(submit?.parameters.map(({ name }) => name)).toEqual(['cid', 'Idempotency-Key'])
  const put = operations.find(({ operationId }) => operationId === 'putContextUpload')
  expect(put?.parameters.map(({ name }) => name)).toContain('X-Sandbox-Upload-Capability')
  const open = operations.find(({ operationId }) => operationId === 'listRegions')
  expect(open?.responses).not.toHaveProperty('418')
  const tool = operations.find(({ operationId }) => operationId === 'callAgentTool')
  expect(tool?.parameters.map(({ name }) => name)).toEqual(['tool', 'X-Turn-Context'])
})

test('what auditors and callbacks of unknown runs get shows', () => {
  const statusesOf = (operation: string) =>
    Object.keys(operations.find(({ operationId }) => operationId === operation)?.responses ?? {})
  expect(statusesOf('listTasks')).toContain('403')
  for (const callback of ['writeBack', 'sendCommandOutput'])
    expect(statusesOf(callback)).toEqual(expect.arrayContaining(['404', '409']))
  expect(JSON.stringify(operations.find(({ operationId }) => operationId === 'listNotifications'))).toMatch(
    /Insufficient permissions|RoleTooLow/,
  )
})

test('an event stream has its type, its events by name, and an example of each', () => {
  const follow = operations.find(({ operationId }) => operationId === 'followRunLog')
  const { content } = (follow?.responses['200'] ?? {}) as {
    content?: Record<string, { schema: unknown; example: string }>
  }
  expect(Object.keys(content ?? {})).toEqual(['text/event-stream'])
  const stream = content?.['text/event-stream']
  expect(JSON.stringify(stream?.schema)).toContain(
    '"contentSchema":{"$ref":"#/components/schemas/RunLogEvent"}',
  )
  expect(stream?.example.match(/^event: .*$/gm)).toEqual(['event: log', 'event: gap', 'event: end'])
})
