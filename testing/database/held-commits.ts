import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { databaseUrlVia } from './database-names.ts'

/** Where a commit is held: before the server gets it, or after it is durable and before the client learns of it. */
export type HeldPoint = 'before' | 'after'

/** The end of the statement `commit`, as a simple query and as a prepared one. */
const commitStatement = Buffer.from('commit\0')
/** CommandComplete of it (PostgreSQL, "Message Formats"). */
const commitComplete = Buffer.from('C\0\0\0\x0bCOMMIT\0')

/**
 * The way of one process to a Postgres server. It can stop a connection at the commit of its transaction, so that a test can
 * kill the process exactly there. A held connection stays held; it ends with the process.
 */
export class HeldCommits {
  /** Address of the database through here. */
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #point: HeldPoint | undefined
  #held = 0
  #onHeld: (() => void) | undefined

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async open(databaseUrl: string): Promise<HeldCommits> {
    const { hostname, port } = new URL(databaseUrl)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const way = new HeldCommits(server, databaseUrlVia(databaseUrl, address.port))
    server.on('connection', (client) => way.#lead(client, connect(Number(port), hostname)))
    return way
  }

  /** Holds every commit from now on. Resolves when `count` connections are held. */
  hold(point: HeldPoint, count: number): Promise<void> {
    this.#point = point
    this.#held = 0
    return new Promise((resolve) => {
      this.#onHeld = () => this.#held === count && resolve()
    })
  }

  /** Lets later commits pass. */
  pass(): void {
    this.#point = undefined
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #lead(client: Socket, server: Socket): void {
    let isHeld = false
    const forward = (to: Socket, point: HeldPoint, mark: Buffer) => (bytes: Buffer) => {
      if (!isHeld && this.#point === point && bytes.includes(mark)) {
        isHeld = true
        this.#held += 1
        this.#onHeld?.()
      }
      if (!isHeld) to.write(bytes)
    }
    client.on('data', forward(server, 'before', commitStatement))
    server.on('data', forward(client, 'after', commitComplete))
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
  }
}
