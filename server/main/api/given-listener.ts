import { once } from 'node:events'
import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { sleep } from '../../base/clock.ts'
import { exitCodes, ServiceProblem } from '../supervisor/service-problem.ts'

/*
 * A listening socket that stays open while the service restarts, as systemd holds that of a socket unit. Connections that nobody
 * accepts wait in the kernel, so a restart refuses none: the former process stops accepting and answers what it has accepted, and
 * the next one accepts the rest.
 */

/** Time for the requests of connections that were accepted last. They are on the same machine, or in the kernel already. */
const lastRequestsMs = 100

/** Listens on that descriptor. Rejects if its port is not that of the settings, which links and doctor name. */
export async function listenOn(
  app: FastifyInstance,
  fd: number,
  { port, backlog }: { port: number; backlog: number },
): Promise<void> {
  await app.ready()
  app.server.listen({ fd }, backlog)
  await once(app.server, 'listening')
  const address = app.server.address()
  const given = address instanceof Object ? `port ${address.port}` : 'no port'
  if (given === `port ${port}`) return
  throw new ServiceProblem(
    exitCodes.configuration,
    `the socket that the service was given listens on ${given}, and SANDBOX_PORT is ${port}: change one of them`,
  )
}

/** Accepts no more connections, while those that exist go on. `app.close()` alone would end connections whose request has not come. */
export async function stopAccepting(app: FastifyInstance): Promise<void> {
  Server.prototype.close.call(app.server)
  await sleep(lastRequestsMs)
}
