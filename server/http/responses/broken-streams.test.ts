import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CodedError } from '../../base/errors/coded-error.ts'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'

const app = createApp(createLog('test', 'silent'))
let origin = ''

/** A download whose store fails after so many bytes. */
async function* failing(after: number, error: Error) {
  if (after > 0) yield Buffer.alloc(after)
  throw error
}
const headers = {
  'content-type': 'application/zip',
  'content-disposition': 'attachment; filename="files.zip"',
  'content-length': '100000',
  'cache-control': 'private, max-age=60',
  etag: '"1"',
}
app.get('/download/:after', (request, reply) => {
  const { after } = request.params as { after: string }
  const error = after === '0' ? new CodedError('storage_unavailable') : new Error('broken')
  const bytes = Math.max(0, Number(after))
  return reply.headers(headers).send(Readable.from(failing(bytes, error), { objectMode: false }))
})
let piecesRead = 0
app.get('/large', (_request, reply) => {
  const pieces = async function* () {
    for (; piecesRead < 1000; piecesRead += 1) yield Buffer.alloc(64 * 1024)
  }
  return reply.header('content-length', 1000 * 64 * 1024).send(Readable.from(pieces(), { objectMode: false }))
})
beforeAll(async () => {
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

it.each([
  ['0', 503, 'storage_unavailable'],
  ['-1', 500, 'internal_error'],
])(
  'a stream that fails before its first byte answers its code, and says nothing about bytes',
  async (after, status, code) => {
    const answer = await fetch(`${origin}/download/${after}`)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ detail: { code } })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect([answer.headers.get('content-disposition'), answer.headers.get('etag')]).toEqual([null, null])
  },
)

it('a stream that fails later breaks its connection', async () => {
  const answer = await fetch(`${origin}/download/50000`)
  expect(answer.status).toBe(200)
  await expect(answer.arrayBuffer()).rejects.toThrow()
})

it('nothing is read of a stream for a request of its head', async () => {
  const answer = await fetch(`${origin}/large`, { method: 'HEAD' })
  expect(answer.headers.get('content-length')).toBe(String(1000 * 64 * 1024))
  // Another request comes after whatever the first one has left.
  await fetch(`${origin}/download/0`)
  expect(piecesRead).toBeLessThan(3)
})
