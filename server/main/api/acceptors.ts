import { once } from 'node:events'
import { createServer, Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/*
 * Node accepts one connection of a listening socket in each turn of the event loop, and a turn takes milliseconds while requests are
 * handled: behind thousands of connections that are opened at once, those of others would wait for many seconds. So several
 * descriptors listen on each port, and a turn accepts one connection from each of them.
 */
export const acceptorsPerPort = 32

export interface Address {
  host: string
  port: number
  /** Connections that the kernel keeps until they are accepted. */
  backlog: number
}

/** Descriptors that listen for the server of an app. */
export class Acceptors {
  readonly #app: FastifyInstance
  /** Beside the server of the app. */
  readonly #others: Server[] = []

  constructor(app: FastifyInstance) {
    this.#app = app
  }

  /** On sockets of its own, which share what waits. The caller has checked that nothing else listens there: they would share with it. */
  async listen({ host, port, backlog }: Address): Promise<void> {
    const address = { host, port, backlog: Math.ceil(backlog / acceptorsPerPort), reusePort: true }
    await this.#app.listen(address)
    for (let at = 1; at < acceptorsPerPort; at += 1) await this.#add((server) => server.listen(address))
  }

  /** On duplicates of one listening socket. */
  async listenOn([first, ...others]: number[], backlog: number): Promise<void> {
    await this.#app.ready()
    await once(this.#app.server.listen({ fd: first }, backlog), 'listening')
    for (const fd of others) await this.#add((server) => server.listen({ fd }, backlog))
  }

  /** Accepts no more. Resolves when the connections have ended that the app does not wait for: its server did not accept them. */
  async stop(): Promise<void> {
    // Its own method would end connections too.
    Server.prototype.close.call(this.#app.server)
    await Promise.all(this.#others.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  async #add(listen: (server: Server) => Server): Promise<void> {
    const { server: app } = this.#app
    // As the server of an app makes its connections.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) =>
      app.emit('connection', socket),
    )
    await once(listen(server), 'listening')
    server.on('error', (error) => app.emit('error', error))
    this.#others.push(server)
  }
}
