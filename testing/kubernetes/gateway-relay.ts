import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { RelayAnswer, RelayedRequest, RelayOrder } from './relay-messages.ts'

/* A process in the network namespace of a pod: it passes the requests of a collector to the test, and its answers back. */

const waiting = new Map<number, ServerResponse>()
let count = 0

process.on('message', (order: RelayOrder) => {
  if ('port' in order) listen(order)
  else give(order)
})

function listen({ address, port, certificate, key }: Extract<RelayOrder, { port: number }>): void {
  const server = createServer({ cert: certificate, key, minVersion: 'TLSv1.2' }, (request, response) => {
    count += 1
    const number = count
    waiting.set(number, response)
    void buffer(request).then(
      (body) =>
        send({
          number,
          method: request.method ?? '',
          path: request.url ?? '',
          authorization: request.headers.authorization ?? '',
          body: body.toString('base64'),
        }),
      () => undefined,
    )
  })
  server.on('tlsClientError', () => send({ number: 0, method: 'TLS', path: '', authorization: '', body: '' }))
  server.listen(port, address, () => process.send?.('listens'))
}

const send = (request: RelayedRequest) => process.send?.(request)

function give({ number, status, body, end, isStream }: RelayAnswer): void {
  const response = waiting.get(number)
  if (!response) return
  const bytes = Buffer.from(body, 'base64')
  if (!response.headersSent && end !== 'breaks') {
    if (isStream) {
      response.useChunkedEncodingByDefault = false
      response.writeHead(status, { connection: 'close' })
    } else response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  }
  if (end === 'ends') response.end(bytes)
  else if (end === 'goes on') response.write(bytes)
  else if (end === 'cuts') response.write(bytes, () => response.destroy())
  else response.destroy()
}
