import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'

/** A process that writes one line when it is ready, and then one line in reply to each line that it receives. */
export class LineProcess {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface

  private constructor(child: ChildProcess) {
    if (!child.stdout) throw new Error('the process has no output')
    this.#child = child
    this.#reader = createInterface({ input: child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  static async start(command: readonly string[]): Promise<LineProcess> {
    const [program = '', ...args] = command
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin?.on('error', () => undefined)
    const started = new LineProcess(child)
    await started.#next()
    return started
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  ask(line: string): Promise<string> {
    this.#child.stdin?.write(`${line}\n`)
    return this.#next()
  }

  /** The process ends by itself at the end of its input. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await exited
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`${this.#child.spawnfile} has ended`)
    return value
  }
}
