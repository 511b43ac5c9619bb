import type { Socket } from 'node:net'

/**
 * The open connections of a server. When all are taken, a new one gets the place of the connection that has been silent
 * longest. A connection is silent while no request of a known caller is being handled on it, so that a client without
 * credentials can hold no place. Connections on which a known caller has been served are dropped after all others.
 */
export class OpenConnections {
  readonly #max: number
  /** By connection: the set that has it while it is silent. */
  readonly #open = new Map<Socket, Set<Socket>>()
  readonly #ofStrangers = new Set<Socket>()
  readonly #ofKnown = new Set<Socket>()

  constructor(max: number) {
    this.#max = max
  }

  /** False if there is no place: the caller closes the connection. */
  add(socket: Socket): boolean {
    if (this.#open.size >= this.#max && !this.#dropOldest()) return false
    this.#open.set(socket, this.#ofStrangers)
    this.#ofStrangers.add(socket)
    socket.once('close', () => this.#forget(socket))
    return true
  }

  /** A request has started. */
  began(socket: Socket): void {
    const silent = this.#open.get(socket)
    if (silent?.delete(socket)) silent.add(socket)
  }

  /** A request of a known caller is being handled. */
  serves(socket: Socket): void {
    if (!this.#open.get(socket)?.delete(socket)) return
    this.#open.set(socket, this.#ofKnown)
  }

  /** The request has been answered. */
  ended(socket: Socket): void {
    this.#open.get(socket)?.add(socket)
  }

  #dropOldest(): boolean {
    const [oldest] = this.#ofStrangers.size > 0 ? this.#ofStrangers : this.#ofKnown
    if (!oldest) return false
    // At once: its event comes later, and the new connection is counted now.
    this.#forget(oldest)
    oldest.destroy()
    return true
  }

  #forget(socket: Socket): void {
    this.#open.get(socket)?.delete(socket)
    this.#open.delete(socket)
  }
}
