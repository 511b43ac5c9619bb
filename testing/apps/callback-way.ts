import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { spawnBound } from '../bound-process.ts'

/** Listens on a port and leads each connection to a unix socket, which is not bound to a network namespace. */
const forwarder = `
  const { connect, createServer } = require('node:net')
  const [, host, port, path] = process.argv
  createServer({ allowHalfOpen: true }, (socket) => {
    const onward = connect({ path, allowHalfOpen: true })
    for (const [one, other] of [[socket, onward], [onward, socket]])
      one.pipe(other).on('error', () => one.destroy())
  }).listen(Number(port), host, () => console.log('ready'))
`

/**
 * Leads connections on a machine in a network namespace to the listener for callbacks in this process. It can lose answers: the
 * service has then done what the request says, and the caller gets nothing, as when the process dies between both.
 */
export class CallbackWay {
  readonly #process: ChildProcess
  readonly #server: Server
  #answersToLose = 0
  /** Answers that were lost. */
  lost = 0

  private constructor(process: ChildProcess, server: Server) {
    this.#process = process
    this.#server = server
  }

  static async open(
    app: FastifyInstance,
    at: { folder: string; onMachine: string[]; host: string; port: number },
  ): Promise<CallbackWay> {
    const [inner, outer] = [join(at.folder, 'callbacks.sock'), join(at.folder, 'way.sock')]
    await app.listen({ path: inner })
    const server = createServer({ allowHalfOpen: true })
    const forward = [process.execPath, '-e', forwarder, at.host, String(at.port), outer]
    const child = spawnBound([...at.onMachine, ...forward])
    const way = new CallbackWay(child, server)
    server.on('connection', (socket) => {
      const service = connect({ path: inner, allowHalfOpen: true })
      socket.pipe(service)
      service.on('data', (answer) => {
        if (way.#answersToLose === 0) return void socket.write(answer)
        way.#answersToLose -= 1
        way.lost += 1
        socket.destroy()
        service.destroy()
      })
      service.once('end', () => socket.end())
      for (const end of [socket, service]) end.on('error', () => undefined)
    })
    server.listen(outer)
    await once(child.stdout, 'data')
    return way
  }

  loseAnswers(count: number): void {
    this.#answersToLose = count
  }

  async close(): Promise<void> {
    this.#process.kill('SIGKILL')
    this.#server.close()
    await once(this.#process, 'exit')
  }
}
