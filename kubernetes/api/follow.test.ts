import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Answer,
  answered,
  FaultyApiServer,
  objectNamed,
  refused,
  watched,
} from '../../testing/kubernetes/faulty-api-server.ts'
import { KubernetesClient } from './client.ts'
import { KubernetesRefused } from './failures.ts'
import { type Followed, follow } from './follow.ts'

const pods = '/api/v1/namespaces/runs/pods'
let server: FaultyApiServer
let client: KubernetesClient

beforeAll(async () => {
  server = await FaultyApiServer.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.reset()
  client = new KubernetesClient(server.access)
})
afterEach(() => client.close())

const listed = (resourceVersion: string, ...names: string[]): Answer =>
  answered({ metadata: { resourceVersion }, items: names.map((name) => objectNamed(name)) })

const event = (type: string, name: string, version: string) => ({ type, object: objectNamed(name, version) })
const bookmark = (resourceVersion: string) => ({
  type: 'BOOKMARK',
  object: { kind: 'Pod', metadata: { resourceVersion } },
})
const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }

const textOf = (followed: Followed) =>
  followed.kind === 'all'
    ? `all ${followed.objects.map(({ metadata }) => metadata.name).join(' ')}`
    : `${followed.kind} ${followed.object.metadata.name}`

/** Everything that comes until the object of that name. */
async function seenUntil(last: string): Promise<string[]> {
  const ends = new AbortController()
  const all: string[] = []
  for await (const followed of follow(client, pods, { signal: ends.signal, retryMs: 1 })) {
    all.push(textOf(followed))
    if (all.at(-1)?.endsWith(last)) ends.abort()
  }
  return all
}

const versions = () =>
  server.requests.filter(({ query }) => query.watch === '1').map(({ query }) => query.resourceVersion)

test('changes follow the list, each watch from the version that the one before reached', async () => {
  server.answers.push(
    listed('5', 'a'),
    watched([event('ADDED', 'b', '6'), event('MODIFIED', 'a', '7'), bookmark('9')]),
    watched([event('DELETED', 'b', '12')]),
    watched([event('ADDED', 'last', '13')]),
  )
  expect(await seenUntil('last')).toEqual(['all a', 'present b', 'present a', 'removed b', 'present last'])
  expect(versions()).toEqual(['5', '9', '12'])
})

test('an event that is cut comes again', async () => {
  server.answers.push(
    listed('5'),
    watched([event('ADDED', 'a', '6')], 'cut'),
    watched([event('ADDED', 'last', '7')]),
  )
  expect(await seenUntil('last')).toEqual(['all ', 'present a', 'present last'])
  expect(versions()).toEqual(['5', '6'])
})

test.each([
  ['an event', watched([gone])],
  ['an answer', refused(410, 'Expired')],
])('everything comes again when %s says that the version is gone', async (_how, answer) => {
  server.answers.push(listed('5', 'a'), answer, listed('20', 'b', 'last'))
  expect(await seenUntil('last')).toEqual(['all a', 'all b last'])
  expect(server.requests.map(({ query }) => query.watch)).toEqual([undefined, '1', undefined])
})

test('a server that is away is asked again', async () => {
  server.answers.push(
    refused(503, 'ServiceUnavailable'),
    (response) => response.destroy(),
    listed('5'),
    refused(503, 'ServiceUnavailable'),
    watched([{ type: 'ERROR', object: { code: 500 } }]),
    watched([{ type: 'SOMETHING', object: {} }]),
    watched([event('ADDED', 'last', '6')]),
  )
  expect(await seenUntil('last')).toEqual(['all ', 'present last'])
  expect(versions()).toEqual(['5', '5', '5', '5'])
})

test('a refusal ends it', async () => {
  server.answers.push(refused(403, 'Forbidden'))
  await expect(seenUntil('last')).rejects.toThrow(KubernetesRefused)
})

test('an event without an end is not read to its end', async () => {
  const closed = Promise.withResolvers<void>()
  server.answers.push(
    listed('5'),
    (response) => {
      response.once('close', closed.resolve)
      const more = () => {
        while (response.write(Buffer.alloc(64 * 1024, 32)));
        response.once('drain', more)
      }
      more()
    },
    watched([event('ADDED', 'last', '6')]),
  )
  expect(await seenUntil('last')).toEqual(['all ', 'present last'])
  await closed.promise
})
