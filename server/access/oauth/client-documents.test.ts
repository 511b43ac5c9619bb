import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startHookServer } from '../../../testing/hook-server.ts'
import type { GuardedOptions } from '../../base/guarded-requests/guarded-request.ts'
import { reachableBy } from '../../base/guarded-requests/reachable-addresses.ts'
import { documentHostOf, documentMaxBytes } from './client-document.ts'
import { ClientDocuments } from './client-documents.ts'

const server = await startHookServer()
afterAll(() => server.close())

const clientId = server.url('/client.json')
const person = { companyId: 'com_1' }
const fetching: GuardedOptions = {
  isReachable: reachableBy(['127.0.0.1/32']),
  resolve: async () => ['127.0.0.1'],
  timeoutMs: 1000,
  ca: server.ca,
}
const document = {
  client_id: clientId,
  client_name: 'A client',
  redirect_uris: ['https://client.example/callback', 'http://127.0.0.1/callback'],
}

let now = new Date('2026-01-01T00:00:00Z')
const documentsOf = (change: Partial<GuardedOptions> = {}) =>
  new ClientDocuments({ clock: { now: () => now }, fetching: { ...fetching, ...change } })

const sending =
  (content: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(typeof content === 'string' ? content : JSON.stringify(content))
  }

beforeEach(() => {
  server.posts.length = 0
  now = new Date('2026-01-01T00:00:00Z')
  server.answers['/client.json'] = sending(document)
})

it('a document names the client and where its answers may go', async () => {
  expect(await documentsOf().read(clientId, person)).toEqual({
    name: 'A client',
    redirectUris: document.redirect_uris,
  })
  expect(server.posts.map(({ path, headers }) => [path, headers.accept])).toEqual([
    ['/client.json', 'application/json'],
  ])
})

describe('a hostile document', () => {
  const withUris = (...redirect_uris: unknown[]) => sending({ ...document, redirect_uris })
  it.each<[string, (response: ServerResponse) => void, string]>([
    ['of another client', sending({ ...document, client_id: `${clientId}x` }), 'another one'],
    ['without a client', sending({ redirect_uris: document.redirect_uris }), 'another one'],
    ['that is no object', sending('[1]'), 'not a JSON object'],
    ['that is no JSON', sending('{"client_id":'), 'not a JSON object'],
    ['of another type', sending(document, { 'content-type': 'text/html' }), 'content_type'],
    [
      'of a type that only contains JSON',
      sending(document, { 'content-type': 'text/json5' }),
      'content_type',
    ],
    ['with a script', withUris('javascript:alert(1)'), 'redirect_uris'],
    ['with an address without TLS', withUris('http://client.example/'), 'redirect_uris'],
    ['with no text', withUris(1, null), 'redirect_uris'],
    ['without addresses', sending({ client_id: clientId, redirect_uris: {} }), 'redirect_uris'],
    ['with a secret', sending({ ...document, client_secret: 'x' }), 'public clients'],
    [
      'of a client with a secret',
      sending({ ...document, token_endpoint_auth_method: 'client_secret_basic' }),
      'public clients',
    ],
    ['that is large', sending({ ...document, more: 'x'.repeat(documentMaxBytes) }), 'too_large'],
    ['elsewhere', (response) => response.writeHead(302, { location: clientId }).end(), 'redirect'],
    ['that is not found', (response) => response.writeHead(404).end(), 'status'],
    ['that never comes', () => undefined, 'timeout'],
    [
      'that never ends',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      },
      'timeout',
    ],
  ])('%s is refused', async (_what, answer, problem) => {
    server.answers['/client.json'] = answer
    const refused = documentsOf().read(clientId, person)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_client',
      message: expect.stringContaining(problem),
    })
    expect(server.posts).toHaveLength(1)
  })

  it('of gigabytes is read up to its bound', async () => {
    let sent = 0
    const closed = Promise.withResolvers<void>()
    server.answers['/client.json'] = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.on('close', () => closed.resolve())
      const more = () => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, ' '))) return void response.once('drain', more)
        }
      }
      more()
    }
    await expect(documentsOf().read(clientId, person)).rejects.toThrow('too_large')
    await closed.promise
    expect(sent).toBeLessThan(16 * 2 ** 20)
  })

  it('keeps the addresses that are permitted, and no other', async () => {
    server.answers['/client.json'] = withUris('javascript:alert(1)', 'app://x', 'https://a.example/')
    const client = await documentsOf().read(clientId, person)
    expect(client.redirectUris).toEqual(['https://a.example/'])
  })

  it('inside is not asked for, whatever its name is', async () => {
    const isReachable = reachableBy()
    for (const address of ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1'])
      await expect(
        documentsOf({ isReachable, resolve: async () => ['93.184.216.34', address] }).read(clientId, person),
      ).rejects.toThrow('address_forbidden')
    expect(server.posts).toEqual([])
  })

  it('behind a certificate for another name is refused', async () => {
    await expect(documentsOf({ ca: undefined }).read(clientId, person)).rejects.toThrow('tls')
  })
})

describe('a document is kept', () => {
  const readsAfter = async (cacheControl: string | undefined, seconds: number): Promise<number> => {
    const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl }
    server.answers['/client.json'] = sending(document, headers)
    const documents = documentsOf()
    await documents.read(clientId, person)
    now = new Date(now.getTime() + seconds * 1000)
    await documents.read(clientId, { companyId: 'com_2' })
    return server.posts.length
  }
  it.each<[string | undefined, number, number]>([
    [undefined, 299, 1],
    [undefined, 300, 2],
    ['no-store', 59, 1],
    ['no-store', 60, 2],
    ['public, max-age=600', 599, 1],
    ['public, max-age=600', 600, 2],
    ['max-age=999999999', 3600, 2],
    ['max-age=0', 59, 1],
  ])('%s: after %i s it was fetched %i times', async (cacheControl, seconds, fetched) => {
    expect(await readsAfter(cacheControl, seconds)).toBe(fetched)
  })

  it('but not a failure', async () => {
    const documents = documentsOf()
    server.answers['/client.json'] = sending('no')
    await expect(documents.read(clientId, person)).rejects.toThrow()
    server.answers['/client.json'] = sending(document)
    expect(await documents.read(clientId, person)).toMatchObject({ name: 'A client' })
  })
})

it('servers that hang hold the fetches of their company alone', async () => {
  server.answers['/hang'] = () => undefined
  const documents = documentsOf()
  const hanging = Array.from({ length: 4 }, () => documents.read(server.url('/hang'), person))
  const ends = Promise.allSettled(hanging)
  await expect(documents.read(clientId, person)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(await documents.read(clientId, { companyId: 'com_2' })).toMatchObject({ name: 'A client' })
  await ends
  expect(await documents.read(clientId, person)).toMatchObject({ name: 'A client' })
})

it.each([
  ['https://client.example/client.json', 'client.example'],
  ['https://client.example:8443/c?x=1', 'client.example:8443'],
  ['http://client.example/client.json', undefined],
  ['https://client.example', undefined],
  ['https://client.example/', undefined],
  ['https://client.example:443/c', undefined],
  ['https://Client.example/c', undefined],
  ['https://client.example/a/../c', undefined],
  ['https://client.example/c#f', undefined],
  ['https://client.example/c#', undefined],
  ['https://good.example@client.example/c', undefined],
  ['https://client.example\\@good.example/c', undefined],
  [`https://client.example/${'x'.repeat(2048)}`, undefined],
  ['mcpclient.x.y', undefined],
])('%s is a document at %s', (text, host) => expect(documentHostOf(text)).toBe(host))
