import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createLog } from '../../base/logging.ts'
import { packConsole } from '../../main/pack-console.ts'
import { createApp } from '../app.ts'
import { mountConsole } from './console.ts'

const script = `console.log('${'a'.repeat(2000)}')`
const page =
  '<!doctype html>\n<html lang="en">\n<head><title>Sandbox Jobs</title></head><body></body></html>\n'

/** A checkout with a build, packed as `sandbox up` does it. */
async function build(): Promise<string> {
  const root = testFolder()
  const dist = join(root, 'console/dist')
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(join(dist, 'index.html'), page)
  writeFileSync(join(dist, 'assets/main-abc123.js'), script)
  writeFileSync(join(dist, 'licences.txt'), 'ISC')
  const folder = join(root, 'packed')
  await packConsole(root, folder)
  return folder
}

function serve(folder: string | undefined, provider?: string) {
  const app = createApp(createLog('test', 'silent'))
  mountConsole(app, folder, provider)
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
}

const get = serve(await build())

it.each([
  '/console/',
  '/console/chatrooms/roo_1/runs/run_2/log',
  '/console/runs?status=failed',
  '/console/..%2f..%2fetc%2fpasswd',
  '/console/%00',
  `/console/${'x'.repeat(5000)}`,
  '/console/index.html',
])('%s gives the page', async (url) => {
  const answer = await get(url)
  expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
    200,
    'text/html; charset=utf-8',
    page,
  ])
})

it('names the identity provider in the page, as text', async () => {
  const { body } = await serve(await build(), 'A "quoted" <name> $& of it')('/console/')
  expect(body).toContain('<html lang="en" data-provider="A &quot;quoted&quot; &lt;name&gt; $&amp; of it">')
})

it('gives the page with a policy that runs scripts of the service alone, and is never kept', async () => {
  const { headers } = await get('/console/')
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; font-src 'none'; connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types workers",
  )
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
})

it.each([
  [{}, '<html lang="en">'],
  [{ 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' }, '<html lang="de">'],
  [{ 'accept-language': 'de', cookie: 'a=1; sandbox_language=en' }, '<html lang="en">'],
  [{ cookie: 'sandbox_theme=dark; sandbox_language=de' }, '<html lang="de" data-theme="dark">'],
  [{ cookie: 'sandbox_theme=system' }, '<html lang="en">'],
  [{ cookie: 'sandbox_theme="><script>; sandbox_language=xx' }, '<html lang="en">'],
])('draws the page for %o as %s', async (headers, opening) => {
  expect((await get('/console/', headers)).body).toContain(opening)
})

it('gives files compressed as the client takes them, to be kept for ever', async () => {
  const url = '/console/assets/main-abc123.js'
  const plain = await get(url)
  expect([plain.body, plain.headers['content-type'], plain.headers['cache-control']]).toEqual([
    script,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  const brotli = await get(url, { 'accept-encoding': 'gzip, br' })
  expect(brotli.headers['content-encoding']).toBe('br')
  expect(String(brotliDecompressSync(brotli.rawPayload))).toBe(script)
  const zipped = await get(url, { 'accept-encoding': 'gzip, br;q=0' })
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(String(gunzipSync(zipped.rawPayload))).toBe(script)
})

it('answers 304 to a client that has the file', async () => {
  const { headers } = await get('/console/licences.txt')
  expect(headers['cache-control']).toBe('public, no-cache')
  const again = await get('/console/licences.txt', { 'if-none-match': `W/${headers.etag}` })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

it.each([
  '/console/assets/',
  '/console/assets/none.js',
  '/console/assets/main-abc123.js.br',
  '/console/assets/../../x',
])('%s is a file that there is not', async (url) => {
  const answer = await get(url)
  expect([answer.statusCode, answer.json().detail.code]).toEqual([404, 'not_found'])
})

it('leads from /console to its page', async () => {
  const answer = await get('/console')
  expect([answer.statusCode, answer.headers.location]).toEqual([308, '/console/'])
})

it('without a build says how to make one, until there is one', async () => {
  const root = testFolder()
  const folder = join(root, 'packed')
  const ask = serve(folder)
  for (const answer of [await ask('/console/runs'), await serve(undefined)('/console/')]) {
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('npm run console')
  }
  mkdirSync(join(root, 'console/dist'), { recursive: true })
  writeFileSync(join(root, 'console/dist/index.html'), page)
  await packConsole(root, folder)
  expect((await ask('/console/runs')).statusCode).toBe(200)
})
