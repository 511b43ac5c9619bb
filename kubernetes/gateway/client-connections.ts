import type { Socket } from 'node:net'

const connectionsPerClient = 4

/** Bounds the connections of each address, before anything of them is read: the job of a pod has the address of its collector. */
export class ClientConnections {
  readonly #counts = new Map<string, number>()

  /** Ends the connection if its client has too many. */
  take(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const count = this.#counts.get(address) ?? 0
    if (count >= connectionsPerClient) {
      socket.destroy()
      return
    }
    this.#counts.set(address, count + 1)
    socket.once('close', () => this.#release(address))
  }

  #release(address: string): void {
    const count = this.#counts.get(address) ?? 0
    if (count > 1) this.#counts.set(address, count - 1)
    else this.#counts.delete(address)
  }
}
