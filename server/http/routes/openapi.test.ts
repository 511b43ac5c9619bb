import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { expect, test } from 'vitest'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'
import { html } from '../reference/html.ts'
import { mountOpenApiRoutes } from './openapi.ts'

const packedFolder = testFolder()
const script = '// the packed script\n'
writeFileSync(join(packedFolder, 'docs-page.js'), script)
const app = createApp(createLog('test', 'silent'))
mountOpenApiRoutes(app, { baseUrl: 'http://sandbox.test', packedFolder })
const get = (url: string) => app.inject({ method: 'GET', url })

test('the document is served without login and names this service', async () => {
  const answer = await get('/openapi.json')
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const { openapi, servers, paths } = answer.json()
  expect([openapi, servers]).toEqual(['3.1.0', [{ url: 'http://sandbox.test' }]])
  expect(Object.keys(paths)).toContain(allRoutes.submitRun.path)
})

test('the page shows every operation, once, and has no broken links', async () => {
  const page = (await get('/docs')).body
  const ids = [...page.matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const name of Object.keys(allRoutes)) expect(ids).toContain(name)
  const targets = [...page.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id)
  expect(targets.filter((target) => !ids.includes(target))).toEqual([])
})

test('the page loads nothing, and runs its own script and no other', async () => {
  const { headers, body } = await get('/docs')
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(body) ?? []
  const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  )
  expect(headers['x-content-type-options']).toBe('nosniff')
  const element = `<script type="module">${script}</script>`
  expect(body).toContain(element)
  const rest = body.replace(element, '')
  expect(rest).not.toMatch(/<script|<[^>]*\s(on\w+|style|src)=|javascript:/i)
})

test('page and document are compressed for who takes it', async () => {
  for (const url of ['/docs', '/openapi.json']) {
    const plain = await get(url)
    const packed = await app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'br, gzip' } })
    const refused = await app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip;q=0' } })
    const encodings = [plain, packed, refused].map(({ headers }) => headers['content-encoding'])
    expect(encodings).toEqual([undefined, 'gzip', undefined])
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
    expect(packed.rawPayload.length).toBeLessThan(plain.body.length / 5)
  }
})

test('text in a template is escaped, and HTML is not', () => {
  expect(html`<p title="${'"'}">${'<b>&'}${html`<i>${1}</i>`}</p>`.text).toBe(
    '<p title="&quot;">&lt;b&gt;&amp;<i>1</i></p>',
  )
})

test('the address of the service says what it is and where to go, to browsers and to programs', async () => {
  const page = await app.inject({ url: '/', headers: { accept: 'text/html,*/*;q=0.8' } })
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect([...page.body.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)).toEqual([
    'console/',
    'docs',
    'openapi.json',
    'cli',
    'client.tgz',
  ])
  expect(page.body).toContain('npm install http://sandbox.test/client.tgz')
  for (const accept of ['application/json', '*/*']) {
    const answer = await app.inject({ url: '/', headers: { accept } })
    expect(answer.json()).toMatchObject({ name: 'Sandbox Jobs', links: { docs: '/docs', cli: '/cli' } })
  }
  expect((await app.inject({ url: '/none', headers: { accept: 'text/html' } })).json().detail.code).toBe(
    'not_found',
  )
})

test('the schema of task files is served for editors, from any origin', async () => {
  const answer = await get('/task-file.schema.json')
  expect(answer.headers).toMatchObject({
    'content-type': 'application/schema+json; charset=utf-8',
    'access-control-allow-origin': '*',
  })
  expect(answer.json()).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['name', 'environment', 'work_script'],
    additionalProperties: false,
    properties: { output_policy: { type: 'object' }, network: {}, secret_slots: {} },
  })
})
