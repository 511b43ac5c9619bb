import { freePort } from '../../server/postgres/free-port.ts'
import { type NodeServer, startNodeServer } from '../harness/service/node-server.ts'

const script = new URL('./fastify-server.ts', import.meta.url).pathname

export async function startHello(): Promise<NodeServer> {
  const port = await freePort()
  return startNodeServer({ script, args: ['hello', String(port)], env: {}, port, path: '/' })
}

/** Stores each request body by one query over a pool of that many connections. */
export async function startInsert(databaseUrl: string, connections: number): Promise<NodeServer> {
  const port = await freePort()
  const args = ['insert', String(port), databaseUrl, String(connections)]
  return startNodeServer({ script, args, env: {}, port, path: '/' })
}

/** Returns the row of a run by one prepared select over a pool of that many connections. */
export async function startSelect(databaseUrl: string, connections: number): Promise<NodeServer> {
  const port = await freePort()
  const args = ['select', String(port), databaseUrl, String(connections)]
  return startNodeServer({ script, args, env: {}, port, path: '/' })
}
