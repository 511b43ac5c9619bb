import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { RegistryContent } from './registry-fixture.ts'

/*
 * A test registry (registry-fixture.ts starts this in a separate namespace): it serves a table that it reads again
 * for each request. Each request is printed as a line on standard output.
 *
 *   registry-server FOLDER PORT     FOLDER contains key.pem, cert.pem and content.json
 */
const [folder = '', port = ''] = process.argv.slice(2)
const file = (name: string) => readFileSync(`${folder}/${name}`)

const server = createServer({ key: file('key.pem'), cert: file('cert.pem') }, (request, response) => {
  const { routes, login, bearer } = JSON.parse(file('content.json').toString()) as RegistryContent
  const path = request.url ?? ''
  console.log(`${request.method} ${path}`)
  const isKnown =
    login === undefined || request.headers.authorization === `Basic ${Buffer.from(login).toString('base64')}`
  if (!isKnown) return response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
  if (bearer && path.startsWith('/v2/') && request.headers.authorization !== `Bearer ${bearer.token}`) {
    return response.writeHead(401, { 'www-authenticate': bearer.challenge }).end('{"errors":[]}')
  }
  const route = routes[path] ?? (path === '/v2/' ? { body: btoa('{}') } : undefined)
  if (!route) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[]}')
  const {
    status = 200,
    type = 'application/octet-stream',
    body = '',
    location,
    challenge,
    headers,
    pace,
  } = route
  const bytes = Buffer.from(body, 'base64')
  response.writeHead(status, {
    'content-type': type,
    ...headers,
    ...(location !== undefined && { location }),
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
    ...(pace === undefined && { 'content-length': bytes.length }),
  })
  // Writes of a HEAD response are never held up, so a loop of them does not end.
  if (request.method === 'HEAD' && pace !== 'silent') return response.end()
  if (pace === undefined) return response.end(bytes)
  if (pace === 'endless') {
    const chunk = Buffer.alloc(1024 * 1024)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  } else response.write(bytes)
})
server.listen(Number(port), '0.0.0.0', () => console.log('ready'))
