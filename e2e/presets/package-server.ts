import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = (words: string) => run('ip', words.split(' '))
const port = 5000

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
  namespace: string
  folder: string
  server: Server
  relay: ChildProcess
}

/** A server of packages in a company's own network: over HTTP at an inner address, which is not one of this machine. */
export class PackageServer {
  readonly #parts: Parts
  readonly #host: string

  private constructor(parts: Parts, host: string) {
    this.#parts = parts
    this.#host = host
  }

  /**
   * `sources` by the first folder of their paths; `subnet` is the third number of its address, which is another one for each
   * test that may run at the same time.
   */
  static async start(subnet: number, sources: Record<string, PackageSource>): Promise<PackageServer> {
    // Also the name of the host's device, which may have fifteen characters.
    const namespace = `packages-${randomBytes(3).toString('hex')}`
    const folder = await mkdtemp(join(tmpdir(), 'test-packages-'))
    const [here, there] = [`10.213.${subnet}.1`, `10.213.${subnet}.2`]
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
    await ip(`netns add ${namespace}`)
    await ip(`link add name ${namespace} type veth peer name up netns ${namespace}`)
    await ip(`address add ${here}/30 dev ${namespace}`)
    await ip(`link set dev ${namespace} up`)
    await ip(`-n ${namespace} address add ${there}/30 dev up`)
    await ip(`-n ${namespace} link set dev up up`)
    const program = [process.execPath, '-e', relay, there, String(port), join(folder, 'socket')]
    const child = spawn('nsenter', [`--net=/run/netns/${namespace}`, ...program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    return new PackageServer({ namespace, folder, server, relay: child }, there)
  }

  /** The address of a source's folder, for `sandbox operator mirror add`. */
  addressOf(source: string): string {
    return `http://${this.#host}:${port}/${source}`
  }

  async dispose(): Promise<void> {
    const { namespace, folder, server, relay } = this.#parts
    relay.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
    await ip(`netns delete ${namespace}`)
    await rm(folder, { recursive: true, force: true })
  }
}

async function answerOf(sources: Record<string, PackageSource>, url: string) {
  const [, folder = '', ...rest] = decodeURIComponent(new URL(url, 'http://server').pathname).split('/')
  return await sources[folder]?.(rest.join('/'))
}
