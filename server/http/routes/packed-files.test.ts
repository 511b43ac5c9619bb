import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'
import { mountPackedFiles } from './packed-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'packed-files-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'sandbox')
const text = '#!/usr/bin/env node\nconsole.log("é")\n'

const app = createApp(createLog('test', 'silent'))
mountPackedFiles(app, folder)
const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: '/cli', headers })

test('a file that is not there yet is read later, and its place is not shown', async () => {
  const failed = await get()
  expect(failed.statusCode).toBe(500)
  expect(failed.body).not.toContain(folder)
  writeFileSync(path, text)
  expect((await get()).body).toBe(text)
})

test('the command is one file that a browser saves, without login', async () => {
  const { statusCode, headers, body } = await get()
  expect([statusCode, body]).toEqual([200, text])
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-disposition': 'attachment; filename="sandbox"',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'public, no-cache',
    etag: `"${createHash('sha256').update(text).digest('hex')}"`,
  })
  expect((await get({}, 'HEAD')).headers['content-length']).toBe(headers['content-length'])
})

test('the typed client is an archive that npm installs', async () => {
  writeFileSync(join(folder, 'client.tgz'), 'bytes')
  const { statusCode, headers, body } = await app.inject({ method: 'GET', url: '/client.tgz' })
  expect([statusCode, headers['content-type'], body]).toEqual([200, 'application/gzip', 'bytes'])
  expect(headers['content-disposition']).toBe('attachment; filename="client.tgz"')
})

test('who has the same file receives nothing', async () => {
  const etag = String((await get()).headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { statusCode, body, headers } = await get({ 'if-none-match': known })
    expect([known, statusCode, body, headers.etag]).toEqual([known, 304, '', etag])
  }
  expect((await get({ 'if-none-match': '"other"' })).statusCode).toBe(200)
})
