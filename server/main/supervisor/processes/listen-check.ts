import { createServer } from 'node:net'
import { sleep } from '../../../base/clock.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

/** A service that was just stopped or killed may hold its port for a moment. */
const attempts = 10
const pauseMs = 200

/** Rejects with exit code 4 if `host:port` is in use, and names the setting. */
export async function checkCanListen(host: string, port: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const code = await tryListen(host, port)
    if (code === undefined) return
    if (code !== 'EADDRINUSE') {
      throw new ServiceProblem(
        exitCodes.portInUse,
        `cannot listen on ${host}:${port} (${code}): set SANDBOX_HOST and SANDBOX_PORT`,
      )
    }
    if (attempt === attempts) {
      throw new ServiceProblem(
        exitCodes.portInUse,
        `port ${port} of ${host} is in use: stop what listens there, or choose another with SANDBOX_PORT`,
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
