import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { listenAddress } from '../../base/config/listen-address.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { MetricsPage } from '../../operations/metrics/metrics-page.ts'

/** A scraper has one or two. */
const connectionsMax = 20
const timeoutMs = 5000

/** Serves the metrics to whoever can connect, on an address of its own: no proxy in front of the API makes them public. */
export async function listenForMetrics(
  listen: string,
  db: Database,
  log: Log,
): Promise<{ close: () => Promise<void> }> {
  const server = createServer(
    { requestTimeout: timeoutMs, headersTimeout: timeoutMs },
    answer(new MetricsPage(db), log),
  )
  server.maxConnections = connectionsMax
  server.listen(listenAddress(listen))
  await once(server, 'listening')
  server.on('error', (error) => log.error({ err: error }, 'a connection for metrics was not accepted'))
  return {
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const answer =
  (page: MetricsPage, log: Log): RequestListener =>
  ({ url, method }, reply) => {
    const say = (status: number, contentType: string, text: string) =>
      reply.writeHead(status, { 'content-type': contentType }).end(text)
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD'))
      return void say(404, 'text/plain', 'The metrics are at /metrics.\n')
    page.read().then(
      ({ contentType, text }) => say(200, contentType, text),
      (error: unknown) => {
        log.error({ err: error }, 'metrics cannot be read')
        say(503, 'text/plain', 'The metrics cannot be read.\n')
      },
    )
  }
