import { createServer } from 'node:net'

/** True when nothing listens on this loopback port. */
export const isPortFree = (port: number): Promise<boolean> =>
  listenOn(port).then((bound) => bound !== undefined)

/** A loopback port that was free a moment ago; another process may take it first, so the caller must handle that. */
export async function freePort(): Promise<number> {
  const port = await listenOn(0)
  if (port === undefined) throw new Error('this machine gives no free loopback port')
  return port
}

function listenOn(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
