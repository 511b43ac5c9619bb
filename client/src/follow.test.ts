import { afterAll, expect, test } from 'vitest'
import { type Answer, json, scriptedServer } from '../testing/scripted-server.ts'
import { createSandbox } from './index.ts'

const server = await scriptedServer()
afterAll(() => server.close())
const sandbox = createSandbox({ baseUrl: server.baseUrl, apiKey: 'key' })
const params = { cid: 'roo_1', rid: 'run_1' }

const stream =
  (...parts: (string | Buffer)[]): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) {
      response.write(part)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    response.end()
  }
const event = (id: number, data: object) => `id: ${id}\nevent: x\ndata: ${JSON.stringify(data)}\n\n`
const log = (start: number, text: string) => event(start + text.length, { kind: 'log', start, text })
const end = event(9, { kind: 'end', status: 'completed' })

test('a stream goes on in a new connection after the last event, until its end', async () => {
  const bytes = Buffer.from(log(3, 'grün'))
  // In the middle of the two bytes of a character.
  const cut = bytes.indexOf('ü') + 1
  const [head, tail] = [bytes.subarray(0, cut), bytes.subarray(cut)]
  server.answers(stream(': connected\n\n', log(0, 'one'), head, tail), stream(': waiting\n\n', end))
  const events = []
  for await (const one of sandbox.follow('followRunLog', { params })) events.push(one)
  expect(events).toEqual([
    { kind: 'log', start: 0, text: 'one' },
    { kind: 'log', start: 3, text: 'grün' },
    { kind: 'end', status: 'completed' },
  ])
  expect(server.seen.map(({ headers }) => [headers.accept, headers['last-event-id']])).toEqual([
    ['text/event-stream', undefined],
    ['text/event-stream', '7'],
  ])
})

test('a connection that breaks in the middle of an event brings the event once', async () => {
  const breaking: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(log(0, 'one') + log(3, 'two').slice(0, 15), () => response.destroy())
  }
  server.answers(breaking, stream(log(3, 'two'), end))
  const texts = []
  for await (const one of sandbox.follow('followRunLog', { params }))
    if (one.kind === 'log') texts.push(one.text)
  expect(texts).toEqual(['one', 'two'])
})

test('who stops to read closes the connection, and a refusal is an error', async () => {
  const closed = Promise.withResolvers<void>()
  server.answers((response) => {
    response.on('close', () => closed.resolve())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(log(0, 'one'))
  })
  for await (const _ of sandbox.follow('followRunLog', { params })) break
  await closed.promise
  server.answers(json(404, { detail: { code: 'not_found', message: 'Nothing.' } }))
  await expect(sandbox.follow('followRunLog', { params }).next()).rejects.toMatchObject({ code: 'not_found' })
})
