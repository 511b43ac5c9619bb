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
 * The kernel may divide the processors by session first, and looks at priorities inside a session only: the process has a
 * session of its own, and the session has the priority too.
 */
function giveWay(pid: number): void {
  setPriority(pid, lowestPriority)
  const sessionPriority = `/proc/${pid}/autogroup`
  if (existsSync(sessionPriority)) writeFileSync(sessionPriority, String(lowestPriority))
}

/** What has a session of its own does not end with this process by itself. */
const living = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** An attack under way. */
export class AttackerProcess {
  readonly #child: ChildProcess
  readonly #printed: Promise<string>

  constructor(name: string, hostile: Hostile) {
    const program = resolve(import.meta.dirname, 'attacker.ts')
    const child = spawn(process.execPath, [program, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    if (child.pid !== undefined) giveWay(child.pid)
    living.add(child)
    child.once('exit', () => living.delete(child))
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
