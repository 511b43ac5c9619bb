import { createServer, type Server } from 'node:net'

export interface Listeners {
  close(): Promise<void>
}

/** Accepts connections at both ports and ends them: in place of a gateway, whose workers need not be there for a check. */
export async function listenFor(address: string, ports: readonly number[]): Promise<Listeners> {
  const servers: Server[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  try {
    for (const port of ports) {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.destroy()
      })
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, address, resolve)
      })
      servers.push(server)
    }
  } catch (error) {
    await close()
    throw error
  }
  return { close }
}
