import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Answers } from './attack.ts'
import type { Hostile } from './companies.ts'

const lowestPriority = 19
const endsWithinMs = 10_000

/** An attack under way. */
export class AttackerProcess {
  readonly #child: ChildProcess
  readonly #printed: Promise<string>

  constructor(name: string, hostile: Hostile) {
    const program = resolve(import.meta.dirname, 'attacker.ts')
    const child = spawn(process.execPath, [program, name], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (child.pid !== undefined) setPriority(child.pid, lowestPriority)
    child.stdin.end(JSON.stringify(hostile))
    this.#child = child
    this.#printed = text(child.stdout)
  }

  /** Ends it; answers how its requests were answered. Throws when it had ended by itself. */
  async stop(): Promise<Answers> {
    if (this.#child.exitCode !== null) throw new Error(`an attack ended by itself: ${await this.#printed}`)
    this.#child.kill('SIGTERM')
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), endsWithinMs)
    const printed = await this.#printed
    clearTimeout(limit)
    return JSON.parse(printed || '{"killed":1}') as Answers
  }
}
