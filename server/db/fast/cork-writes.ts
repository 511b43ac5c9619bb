import type net from 'node:net'
import type pg from 'pg'

/**
 * Makes a connection send all statements of one tick in a single write to the socket: in a pipelined transaction a write
 * costs more than the statement that it carries.
 */
export function corkWrites(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  // Missing in the driver's types, although its documentation describes custom streams.
  const { connection } = client as unknown as { connection: { stream: net.Socket } }
  let gathering = false
  const together = (...given: unknown[]) => {
    if (!gathering) {
      const { stream } = connection
      gathering = true
      stream.cork()
      process.nextTick(() => {
        gathering = false
        stream.uncork()
      })
    }
    return query(...given)
  }
  client.query = together as typeof client.query
}
