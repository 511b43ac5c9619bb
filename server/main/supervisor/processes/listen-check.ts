import { createServer } from 'node:net'
import { sleep } from '../../../base/clock.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

/** A service that was just stopped or killed may hold its port for a moment. */
const tries = 10
const pauseMs = 200

/** An address to listen on, and the settings that name it. */
export interface Listener {
  host: string
  port: number
  settings: string
}

/** Rejects with exit code 4 if the address is in use, and names the settings. */
export async function checkCanListen({ host, port, settings }: Listener): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const code = await tryListen(host, port)
    if (code === undefined) return
    if (code !== 'EADDRINUSE') {
      throw new ServiceProblem(
        exitCodes.portInUse,
        `cannot listen on ${host}:${port} (${code}): set ${settings}`,
      )
    }
    if (attempt === tries) {
      throw new ServiceProblem(
        exitCodes.portInUse,
        `port ${port} of ${host} is in use: stop what listens there, or choose another with ${settings}`,
      )
    }
    await sleep(pauseMs)
  }
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
