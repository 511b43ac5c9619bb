import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Answers } from './attack.ts'
import type { Hostile } from './companies.ts'

const lowestPriority = 19
const endsWithinMs = 10_000

/**
 * The kernel may divide processors by session first and apply priorities only within a session: so the process has a separate
 * session, and the session gets the priority too.
 */
function lowerPriority(pid: number): void {
  setPriority(pid, lowestPriority)
  const sessionPriority = `/proc/${pid}/autogroup`
  if (existsSync(sessionPriority)) writeFileSync(sessionPriority, String(lowestPriority))
}

/** Processes in a separate session do not end with this process. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A running attack. */
export class AttackerProcess {
  readonly #child: ChildProcess
  readonly #printed: Promise<string>

  constructor(name: string, hostile: Hostile) {
    const program = resolve(import.meta.dirname, 'attacker.ts')
    const child = spawn(process.execPath, [program, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    if (child.pid !== undefined) lowerPriority(child.pid)
    running.add(child)
    child.once('exit', () => running.delete(child))
    child.stdin.end(JSON.stringify(hostile))
    this.#child = child
    this.#printed = text(child.stdout)
  }

  /** Stops the attack; returns how its requests were answered. Throws if it had ended by itself. */
  async stop(): Promise<Answers> {
    if (this.#child.exitCode !== null) throw new Error(`an attack ended by itself: ${await this.#printed}`)
    this.#child.kill('SIGTERM')
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), endsWithinMs)
    const printed = await this.#printed
    clearTimeout(limit)
    return JSON.parse(printed || '{"killed":1}') as Answers
  }
}
