import { freePort } from '../../server/postgres/free-port.ts'
import { type NodeServer, startNodeServer } from '../harness/service/node-server.ts'

const script = new URL('./fastify-server.ts', import.meta.url).pathname

async function start(kind: string, ...more: string[]): Promise<NodeServer> {
  const port = await freePort()
  return startNodeServer({ script, args: [kind, String(port), ...more], env: {}, port, path: '/' })
}

/** Returns a constant. */
export const startHello = (): Promise<NodeServer> => start('hello')

/** Stores each request body by one query over a pool of that many connections. */
export const startInsert = (databaseUrl: string, connections: number): Promise<NodeServer> =>
  start('insert', databaseUrl, String(connections))

/** Returns the row of a run by one prepared select over a pool of that many connections. */
export const startSelect = (databaseUrl: string, connections: number): Promise<NodeServer> =>
  start('select', databaseUrl, String(connections))
