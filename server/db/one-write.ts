import type net from 'node:net'
import type pg from 'pg'

/**
 * Makes a connection send the statements that it is given in one moment by one write: on the way of a pipelined
 * transaction each write costs more than its statement.
 */
export function writeTogether(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  // Not in the driver's types, though it documents how a stream of one's own is given to it.
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
