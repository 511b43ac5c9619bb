import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../base/clock.ts'
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

const maxBytes = 16 * 1024 * 1024
const keptFiles = 3

interface OpenLog {
  descriptor: number
  byteSize: number
}

/**
 * A log of bounded size: above 16 MiB `api.log` becomes `api.log.1`, and so on up to three. Lines are written at once
 * and in order. A full disk loses lines and never stops the service.
 */
export class LogFile {
  readonly #path: string
  #log: OpenLog | undefined

  constructor(path: string) {
    this.#path = path
  }

  write(line: string): void {
    try {
      this.#log ??= this.#open()
      if (this.#log.byteSize > maxBytes) this.#rotate(this.#log)
      this.#log.byteSize += writeSync(this.#log.descriptor, `${line}\n`)
    } catch {
      // It could only be reported on the same disk.
    }
  }

  close(): void {
    if (this.#log) closeSync(this.#log.descriptor)
    this.#log = undefined
  }

  #open(): OpenLog {
    const descriptor = openSync(this.#path, 'a', 0o640)
    return { descriptor, byteSize: fstatSync(descriptor).size }
  }

  #rotate(full: OpenLog): void {
    // Where the next file cannot be made, this one goes on, and is not rotated at each line.
    full.byteSize = 0
    rmSync(`${this.#path}.${keptFiles}`, { force: true })
    for (let age = keptFiles - 1; age >= 0; age -= 1) {
      const from = age === 0 ? this.#path : `${this.#path}.${age}`
      try {
        renameSync(from, `${this.#path}.${age + 1}`)
      } catch {
        // It does not exist yet: fewer than three files were ever full.
      }
    }
    this.#log = this.#open()
    // Last: the number of a closed file may be that of another one.
    closeSync(full.descriptor)
  }
}
