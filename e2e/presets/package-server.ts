import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InnerHost } from '../main-job/inner-host.ts'

const port = 5000

/** Where the server of a host is. */
export const addressOn = ({ address }: InnerHost) => `http://${address}:${port}`

/** Answers a path below a folder of the server; undefined: 404. */
export type PackageSource = (path: string) => Promise<{ type: string; body: Buffer } | undefined>

/** Arguments: address, port, socket. Passes connections in the network namespace on to the server of the test. */
const relay = `
const { connect, createServer } = require('node:net')
const [address, port, socket] = process.argv.slice(1)
createServer((client) => {
  const server = connect(socket)
  for (const end of [client, server]) end.on('error', () => { client.destroy(); server.destroy() })
  client.pipe(server).pipe(client)
}).listen(Number(port), address, () => console.log('ready'))
`

interface Parts {
  host: InnerHost
  folder: string
  server: Server
  relay: ChildProcess
}

/** A server of packages in a company's own network: over HTTP at an inner address, which is not one of this machine. */
export class PackageServer {
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /** `sources` by the first folder of their paths. Disposing of the server disposes of the host. */
  static async start(host: InnerHost, sources: Record<string, PackageSource>): Promise<PackageServer> {
    const folder = await mkdtemp(join(tmpdir(), 'test-packages-'))
    const server = createServer((request, response) => {
      void answerOf(sources, request.url ?? '/').then(
        (answer) =>
          answer
            ? response.writeHead(200, { 'content-type': answer.type }).end(answer.body)
            : response.writeHead(404).end(),
        (error: unknown) => response.writeHead(502).end(String(error)),
      )
    })
    server.listen(join(folder, 'socket'))
    await once(server, 'listening')
    const program = [process.execPath, '-e', relay, host.address, String(port), join(folder, 'socket')]
    const [command = '', ...args] = [...host.onHost, ...program]
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    return new PackageServer({ host, folder, server, relay: child })
  }

  /** The address of a source's folder, for `sandbox operator mirror add`. */
  addressOf(source: string): string {
    return `${addressOn(this.#parts.host)}/${source}`
  }

  async dispose(): Promise<void> {
    const { host, folder, server, relay } = this.#parts
    relay.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
    await host.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}

async function answerOf(sources: Record<string, PackageSource>, url: string) {
  const [, folder = '', ...rest] = decodeURIComponent(new URL(url, 'http://server').pathname).split('/')
  return await sources[folder]?.(rest.join('/'))
}
