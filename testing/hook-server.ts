import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

export interface ReceivedPost {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export type HookAnswer = (response: ServerResponse, post: ReceivedPost) => void

/** An HTTPS server on loopback with a certificate for `hooks.test`, which answers by the path. */
export async function startHookServer() {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-hooks-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=hooks.test']
  const name = ['-addext', 'subjectAltName=DNS:hooks.test', '-keyout', key, '-out', cert]
  execFileSync('openssl', [...made, ...name], { stdio: 'ignore' })
  const [ca, keyText] = [readFileSync(cert, 'utf8'), readFileSync(key, 'utf8')]
  rmSync(folder, { recursive: true })
  const posts: ReceivedPost[] = []
  const answers: Record<string, HookAnswer> = {}
  const server = createServer({ cert: ca, key: keyText }, (request, response) => {
    void buffer(request).then((body) => {
      const post = { path: request.url ?? '', headers: request.headers, body: body.toString() }
      posts.push(post)
      const answer = answers[post.path]
      if (answer) answer(response, post)
      else response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ca,
    posts,
    answers,
    url: (path: string) => `https://hooks.test:${port}${path}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
