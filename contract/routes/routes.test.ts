import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { type ActionName, actions, needsCredentials } from '../access/actions.ts'
import { catalogue } from '../errors/catalogue.ts'
import { errorsOf, stopsWhenDisabled } from './implied-errors.ts'
import { allRoutes } from './index.ts'
import type { Route } from './route.ts'

const routes = Object.entries<Route>(allRoutes).map(([name, route]) => ({ name, route }))
const ajv = formats.default(new Ajv2020({ discriminator: true, strictTypes: false, strictRequired: false }))

const objectOf = (schema: Route['body']) =>
  (schema ?? {}) as { properties?: Record<string, unknown>; additionalProperties?: boolean; items?: unknown }

test.each(routes)('$name: the path parameters match the schema', ({ route }) => {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  expect(Object.keys(objectOf(route.params).properties ?? {})).toEqual(inPath)
})

test.each(routes)('$name: its schemas compile', ({ route }) => {
  for (const schema of [route.params, route.query, route.body, route.response]) {
    if (schema) expect(() => ajv.compile(schema)).not.toThrow()
  }
})

test.each(routes)('$name: a body refuses unknown fields', ({ route }) => {
  // Each tool checks its own parameters, and refuses unknown ones with a result.
  const isTool = actions[route.action].subject === 'turn'
  if (route.body && !isTool) expect(objectOf(route.body).additionalProperties).toBe(false)
})

test.each(routes)('$name: a body of only optional fields on a POST or PUT may be left out', ({ route }) => {
  if (!route.body || route.method === 'PATCH') return
  const required = (route.body as { required?: string[] }).required ?? []
  expect(route.bodyOptional === true).toBe(required.length === 0)
})

test.each(routes)('$name: its errors are in the catalogue, each once', ({ route }) => {
  expect(new Set(route.errors).size).toBe(route.errors.length)
  for (const code of errorsOf(route)) expect(catalogue).toHaveProperty(code)
})

test.each(routes)('$name: a route with an id declares not_found', ({ route }) => {
  // A refusal of a room's settings page is always 403 (part 2, "Chatroom job settings").
  if (route.path.startsWith('/private/chatrooms/setting/')) expect(route.errors).toEqual([])
  // A credential that no run has is hidden in words of its own (part 2, "Command-output callback errors").
  else if (route.action === 'callback.write') expect(route.errors).toContain('output_run_unavailable')
  else if (route.params) expect(route.errors).toContain('not_found')
})

test.each(routes)('$name: the route declares the refusal of its action', ({ route }) => {
  const { refusal } = actions[route.action]
  if (refusal === 'hidden') expect(route.errors).toContain('not_found')
  else if (refusal === 'role_too_low') expect(route.plainErrors).toContain(refusal)
  else if (refusal === 'insufficient_permissions' || refusal === 'owner_scope_forbidden')
    expect(route.errors).toContain(refusal)
  else expect(refusal).toBe('none')
})

test('every action has a route or belongs to an action with a route', () => {
  const withRoute = new Set(routes.map(({ route }) => route.action))
  const without = (Object.keys(actions) as ActionName[]).filter((name) => !withRoute.has(name))
  expect(without.filter((name) => actions[name].refusal !== 'omitted')).toEqual([
    'file.delete_any',
    'run.retry_quick',
  ])
})

test.each(routes)('$name: the response of a list is a list wrapper', ({ route }) => {
  const pages = objectOf(route.query).properties?.page_token !== undefined
  const answer = objectOf(route.response).properties
  if (pages) expect(Object.keys(answer ?? {}).slice(0, 3)).toEqual(['items', 'page_size', 'next_page_token'])
})

test('no two routes share method and path', () => {
  const keys = routes.map(({ route }) => `${route.method} ${route.path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(keys).size).toBe(keys.length)
})

test.each(routes)('$name: sandbox-scope keys are refused unless a room can be checked', ({ route }) => {
  const { key } = actions[route.action]
  if (!needsCredentials(route.action)) expect(key).toBe('allowed')
  else if (route === allRoutes.uploadScript) expect(key).toBe(404)
  // Show the key itself, and the rooms that it names.
  else if (route === allRoutes.readOwnCredential || route === allRoutes.listOwnChatrooms)
    expect(key).toBe('allowed')
  else if (!route.path.includes('/chatrooms/{')) expect(key).toBe(403)
  // Key scopes check `cid`: a room in a parameter with another name would not be checked.
  if (route.path.includes('/chatrooms/{')) expect(route.path).toContain('/chatrooms/{cid}')
})

/** Results for a sandbox-scope key, copied by hand from the table of part 2. */
const restricted = {
  readMenu: 'allowed',
  submitRun: 'allowed',
  listRuns: 'own',
  readRun: 'own',
  readRunContent: 'own',
  listRunArtifacts: 'own',
  createDownloadCapability: 'own',
  cancelRun: 'own',
  readRunLog: 'own',
  followRunLog: 'own',
  readRunUsage: 'own',
  readRunOutput: 'own',
  listRunFiles: 'own',
  readRunArtifact: 'own',
  redeemDownloadCapability: 'own',
  downloadRunFiles: 'own',
  followRunEvents: 'own',
  waitForRun: 'own',
  runAndWait: 'allowed',
  readNetworkLog: 403,
  deleteRunContent: 403,
  retryRun: 405,
  quickRun: 403,
  listGrantedJobs: 405,
  enableGrantedJob: 405,
  disableGrantedJob: 405,
  listRoomBindings: 405,
  listVisibleRuns: 403,
  listTaskRuns: 403,
  readSettings: 403,
  createBinding: 403,
  updateChatroomJobs: 403,
  mintLogLink: 405,
  revokeLogLink: 405,
  mintOutputLink: 405,
  revokeOutputLink: 405,
  mintArtifactLink: 404,
  revokeArtifactLink: 404,
} as const

test.each(Object.entries(restricted))('%s: a sandbox-scope key gets %s', (name, rule) => {
  expect(actions[allRoutes[name as keyof typeof restricted].action].key).toBe(rule)
})

test('the kill switch allows reading, cancelling and downloading', () => {
  const stopped = routes.filter(({ route }) => stopsWhenDisabled(route)).map(({ name }) => name)
  expect(stopped).toContain('submitRun')
  for (const name of ['cancelRun', 'cancelBuild', 'createDownloadCapability', 'createToken', 'listRuns']) {
    expect(stopped).not.toContain(name)
  }
})
