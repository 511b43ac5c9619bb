import { execFile, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
const markMs = 2000

/*
 * The real acts of jobs, reported by the kernel and independent of the service.
 *
 * A job has no network and no folder of the host, so its first and last actions are to rename itself: the shell writes
 * `b:<nonce>` and `e:<nonce>` to /proc/self/comm. The kernel reports every such change, including the name, to listeners on
 * the process connector of the first namespace (`ledger.c`). So nothing is read from a process that may be gone, nothing
 * passes through the shim, the agent or the database, and a job appears twice only if it ran twice. Events are numbered per
 * processor: the ledger counts events that the kernel dropped on a busy machine, and a round with dropped events proves
 * nothing. The ledger's own mark proves that all earlier events were read.
 *
 * The submitter chooses the nonce, one per idempotency key, as part of the input: two runs of one key, or two starts of one
 * run, appear as two starts of one nonce.
 */
export class Ledger extends EventEmitter<{ started: [nonce: string]; ended: [nonce: string] }> {
  readonly started = new Map<string, number>()
  readonly ended = new Map<string, number>()
  /** Number of times that events were dropped. */
  missed = 0
  readonly #child: ReturnType<typeof spawn>
  readonly #folder: string
  readonly #closing = new EventEmitter()
  #failure: string | undefined

  private constructor(child: ReturnType<typeof spawn>, folder: string) {
    super()
    this.#child = child
    this.#folder = folder
    child.once('exit', (code) => {
      this.#failure ??= `the ledger ended with ${code}`
      this.#closing.emit('over')
    })
  }

  static async open(): Promise<Ledger> {
    const folder = await mkdtemp(join(tmpdir(), 'crash-ledger-'))
    const program = join(folder, 'ledger')
    await run('cc', ['-O2', '-o', program, join(import.meta.dirname, 'ledger.c')])
    const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ledger = new Ledger(child, folder)
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => ledger.#note(line))
    await Promise.race([once(ledger.#closing, 'listening'), once(ledger.#closing, 'over')])
    ledger.#assertOpen()
    return ledger
  }

  /** Resolves when all events before the call are in the ledger, except dropped ones. */
  async settle(): Promise<void> {
    for (let seen = false; !seen; ) {
      this.#assertOpen()
      const mark = `z:${Math.random().toString(36).slice(2, 12)}`
      // The mark itself may be dropped.
      const heard = once(this.#closing, mark, { signal: AbortSignal.timeout(markMs) })
      await run('sh', ['-c', `echo ${mark} > /proc/self/comm`])
      seen = await heard.then(
        () => true,
        () => false,
      )
    }
  }

  #assertOpen(): void {
    if (this.#failure) throw new Error(`what jobs did is not known: ${this.#failure}`)
  }

  async close(): Promise<void> {
    this.#failure ??= 'closed'
    this.#child.kill('SIGKILL')
    await rm(this.#folder, { recursive: true })
  }

  #note(line: string): void {
    const [kind, nonce = ''] = line.split(':')
    if (kind === 'b') this.#count(this.started, 'started', nonce)
    else if (kind === 'e') this.#count(this.ended, 'ended', nonce)
    else if (kind === 'missed') this.missed += 1
    else this.#closing.emit(line)
  }

  #count(into: Map<string, number>, event: 'started' | 'ended', nonce: string): void {
    into.set(nonce, (into.get(nonce) ?? 0) + 1)
    this.emit(event, nonce)
  }
}
