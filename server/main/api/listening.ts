import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { sleep } from '../../base/clock.ts'
import { checkCanListen } from '../supervisor/processes/listen-check.ts'
import { exitCodes, ServiceProblem } from '../supervisor/service-problem.ts'
import { Acceptors, type Address } from './acceptors.ts'

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

interface ListenOptions extends Address {
  /** The name of the setting of the port. */
  setting: string
  /** Descriptors of the listening socket that the service was given; none: it makes its own. */
  given: number[]
}

export class Listening {
  readonly #app: FastifyInstance
  readonly #acceptors: Acceptors
  /** Connections whose first request has not come. */
  readonly #silent = new Set<Socket>()

  private constructor(app: FastifyInstance) {
    this.#app = app
    this.#acceptors = new Acceptors(app)
    app.server.on('connection', (socket: Socket) => {
      this.#silent.add(socket)
      socket.once('close', () => this.#silent.delete(socket))
    })
    app.server.on('request', ({ socket }) => this.#silent.delete(socket))
  }

  /** Rejects if something else listens there, or if the port of a given socket is not that of the settings, which links and doctor name. */
  static async start(
    app: FastifyInstance,
    { setting, given, ...address }: ListenOptions,
  ): Promise<Listening> {
    const listening = new Listening(app)
    if (given.length === 0) {
      await checkCanListen({ ...address, settings: setting })
      await listening.#acceptors.listen(address)
      return listening
    }
    await listening.#acceptors.listenOn(given, address.backlog)
    const bound = app.server.address()
    const found = bound instanceof Object ? `port ${bound.port}` : 'no port'
    if (found === `port ${address.port}`) return listening
    throw new ServiceProblem(
      exitCodes.configuration,
      `the socket that the service was given listens on ${found}, and ${setting} is ${address.port}: change one of them`,
    )
  }

  async close(): Promise<void> {
    // `app.close()` alone would end the connections whose first request has not come.
    const ended = this.#acceptors.stop()
    const giveUpAtMs = performance.now() + firstRequestsMs
    while (this.#silent.size > 0 && performance.now() < giveUpAtMs) await sleep(pollMs)
    await this.#app.close()
    await ended
  }
}
