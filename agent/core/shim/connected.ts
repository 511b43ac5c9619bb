import { once } from 'node:events'
import { connect, type IpcNetConnectOpts, type Socket } from 'node:net'

/**
 * Connects to another process's socket. The other process may die at any moment, also while nothing is pending: an error
 * closes the connection, so callers must handle `close`. Rejects if the connection cannot be made.
 */
export async function connected(options: IpcNetConnectOpts): Promise<Socket> {
  const socket = connect(options)
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  return socket
}
