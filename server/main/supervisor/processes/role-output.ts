import { join } from 'node:path'
import { systemClock } from '../../../base/clock.ts'
import { LogFile } from '../log-file.ts'
import { say, terminalText } from '../terminal.ts'
import type { RoleEvents } from './role-process.ts'

/** Receives the output of the parts: every line goes into the part's log file, important ones also to the terminal. */
export class RoleOutput implements RoleEvents {
  readonly #folder: string
  readonly #files = new Map<string, LogFile>()

  constructor(folder: string) {
    this.#folder = folder
  }

  line(role: string, line: string): void {
    this.#file(role).write(line)
    const text = terminalText(line)
    if (text) say(role, text, systemClock.now())
  }

  /** A line for the log file only. */
  quiet(role: string, line: string): void {
    this.#file(role).write(line)
  }

  note(role: string, text: string): void {
    this.#file('supervisor').write(`${systemClock.now().toISOString()} ${role} ${text}`)
    say(role, text, systemClock.now())
  }

  #file(role: string): LogFile {
    const found = this.#files.get(role)
    if (found) return found
    const file = new LogFile(join(this.#folder, `${role}.log`))
    this.#files.set(role, file)
    return file
  }
}
