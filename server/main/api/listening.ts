import { once } from 'node:events'
import { Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { sleep } from '../../base/clock.ts'
import { exitCodes, ServiceProblem } from '../supervisor/service-problem.ts'

/*
 * Where the API listens, and how it stops without a failed request: it accepts no more, answers the requests of the connections that
 * it has accepted, and closes then.
 *
 * A socket that the service was given stays open meanwhile, as systemd holds that of a socket unit. Connections that nobody accepts
 * wait in the kernel, and the next process accepts them. A socket of its own refuses them.
 */

/** Bound on the wait for first requests. They are on their way from the same machine, unless a client sends none. */
const firstRequestsMs = 500
const pollMs = 10

interface Address {
  host: string
  port: number
  backlog: number
  /** The descriptor of a listening socket that the service was given. */
  given: number | undefined
}

export class Listening {
  readonly #app: FastifyInstance
  /** Connections whose first request has not come. */
  readonly #silent = new Set<Socket>()

  private constructor(app: FastifyInstance) {
    this.#app = app
    app.server.on('connection', (socket: Socket) => {
      this.#silent.add(socket)
      socket.once('close', () => this.#silent.delete(socket))
    })
    app.server.on('request', ({ socket }) => this.#silent.delete(socket))
  }

  /** Rejects if the port of a given socket is not that of the settings, which links and doctor name. */
  static async start(app: FastifyInstance, { host, port, backlog, given }: Address): Promise<Listening> {
    const listening = new Listening(app)
    if (given === undefined) {
      await app.listen({ host, port, backlog })
      return listening
    }
    await app.ready()
    app.server.listen({ fd: given }, backlog)
    await once(app.server, 'listening')
    const address = app.server.address()
    const found = address instanceof Object ? `port ${address.port}` : 'no port'
    if (found === `port ${port}`) return listening
    throw new ServiceProblem(
      exitCodes.configuration,
      `the socket that the service was given listens on ${found}, and SANDBOX_PORT is ${port}: change one of them`,
    )
  }

  async close(): Promise<void> {
    // `app.close()` alone would end the connections whose first request has not come.
    Server.prototype.close.call(this.#app.server)
    const giveUpAtMs = performance.now() + firstRequestsMs
    while (this.#silent.size > 0 && performance.now() < giveUpAtMs) await sleep(pollMs)
    await this.#app.close()
  }
}
