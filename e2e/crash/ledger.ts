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
 * What jobs really did, told by the kernel and by nobody of the service.
 *
 * A job has no network and no folder of the host, so its first and its last act is to name itself: the shell writes
 * `b:<nonce>` and `e:<nonce>` to /proc/self/comm. The kernel reports every such change, with the name in the report, to
 * whoever listens on the process connector of the first namespace (`ledger.c`). So nothing has to be read from a process
 * that may be gone by then, nothing passes through the shim, the agent or the database, and a job cannot be seen twice
 * unless it ran twice. Reports are numbered for each processor: the ledger counts what the kernel had to drop on a busy
 * machine, and what was done meanwhile proves nothing. A mark of its own tells that everything before it was read.
 *
 * The nonce is of the one who submits and part of the input, one for each idempotency key: two runs of one key would
 * show as two beginnings of one nonce, as would two starts of one run.
 */
export class Ledger extends EventEmitter<{ begun: [nonce: string]; ended: [nonce: string] }> {
  readonly begun = new Map<string, number>()
  readonly ended = new Map<string, number>()
  /** How often something of the machine was not seen. */
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

  /** Resolves when all that happened before the call is in the ledger, but for what it missed. */
  async settle(): Promise<void> {
    for (let seen = false; !seen; ) {
      this.#assertOpen()
      const mark = `z:${Math.random().toString(36).slice(2, 12)}`
      // The mark may be what is missed.
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
    if (kind === 'b') this.#count(this.begun, 'begun', nonce)
    else if (kind === 'e') this.#count(this.ended, 'ended', nonce)
    else if (kind === 'missed') this.missed += 1
    else this.#closing.emit(line)
  }

  #count(into: Map<string, number>, event: 'begun' | 'ended', nonce: string): void {
    into.set(nonce, (into.get(nonce) ?? 0) + 1)
    this.emit(event, nonce)
  }
}
