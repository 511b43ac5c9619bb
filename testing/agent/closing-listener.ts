import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/*
 * A listener that never accepts: it listens and closes repeatedly, so that each connection breaks right after it was made. The
 * kernel does the same when a shim ends with a connection in its queue.
 */
const program = `
  const { createServer } = require('node:net')
  const { workerData: { path, openMs, stop } } = require('node:worker_threads')
  while (Atomics.load(stop, 0) === 0) {
    const server = createServer().listen(path)
    Atomics.wait(stop, 0, 0, openMs)
    server.close()
  }
`

export class ClosingListener {
  readonly #thread: Worker
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))

  /** `openMs`: how long it listens each time. */
  constructor(path: string, openMs = 1) {
    const workerData = { path, openMs, stop: this.#stop }
    this.#thread = new Worker(program, { eval: true, workerData })
  }

  async close(): Promise<void> {
    Atomics.store(this.#stop, 0, 1)
    Atomics.notify(this.#stop, 0)
    await once(this.#thread, 'exit')
  }
}
