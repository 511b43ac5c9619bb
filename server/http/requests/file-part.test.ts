import { Agent, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'
import { openFilePart, requireMultipart, withFiles } from './file-part.ts'

const app = createApp(createLog('test', 'silent'))
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const seen: number[] = []

beforeAll(async () => {
  withFiles(app, (files) => {
    files.post('/early', async () => ({ read: 'nothing' }))
    files.post('/bounded', async (request) => {
      requireMultipart(request)
      const { body } = await openFilePart(request, 1000)
      let bytes = 0
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > 1000) return { read: 'enough' }
      }
      seen.push(bytes)
      return { read: bytes }
    })
  })
  app.post('/json', async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  agent.destroy()
  await app.close()
})

function post(path: string, content: Buffer, { cut = false } = {}) {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--b--\r\n')])
  const { port } = app.server.address() as AddressInfo
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const request = httpRequest({
      port,
      path,
      method: 'POST',
      agent,
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': body.length },
    })
    request.on('error', reject)
    request.on('response', async (response) =>
      resolve({ status: response.statusCode, body: await json(response) }),
    )
    if (cut) {
      // Sends a part of the body and then closes the connection.
      request.write(body.subarray(0, body.length / 2), () => request.destroy())
    } else request.end(body)
  })
}

it('responds while a large file is still being sent, and keeps serving', async () => {
  const large = Buffer.alloc(20 * 1024 ** 2, 'x')
  expect((await post('/bounded', large)).body).toEqual({ read: 'enough' })
  expect(await post('/early', large)).toMatchObject({ body: { read: 'nothing' } })
  expect(await post('/bounded', Buffer.alloc(1000))).toMatchObject({ body: { read: 1000 } })
})

it('fails the file when its sender hangs up', async () => {
  seen.length = 0
  await expect(post('/bounded', Buffer.alloc(900), { cut: true })).rejects.toThrow('socket hang up')
  expect((await post('/bounded', Buffer.alloc(3))).body).toEqual({ read: 3 })
  expect(seen).toEqual([3])
})

it('parses multipart bodies only on its own routes', async () => {
  expect((await post('/json', Buffer.alloc(3))).status).toBe(422)
})
