import { once } from 'node:events'
import { connect, type IpcNetConnectOpts, type Socket } from 'node:net'

/**
 * A connection to another process's socket. The other end may die at any moment, also while nobody waits for anything: such an
 * error closes the connection, and `close` is what whoever uses it has to watch. Rejects when it cannot be made.
 */
export async function connected(options: IpcNetConnectOpts): Promise<Socket> {
  const socket = connect(options)
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  return socket
}
