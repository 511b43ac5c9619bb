import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'

const maxBytes = 16 * 1024 * 1024
const keptFiles = 3

/**
 * A log of bounded size: above 16 MiB `api.log` becomes `api.log.1`, and so on up to three. Lines are written at once
 * and in order. A full disk loses lines and never stops the service.
 */
export class LogFile {
  readonly #path: string
  #descriptor: number
  #byteSize: number

  constructor(path: string) {
    this.#path = path
    this.#descriptor = openSync(path, 'a', 0o640)
    this.#byteSize = fstatSync(this.#descriptor).size
  }

  write(line: string): void {
    try {
      if (this.#byteSize > maxBytes) this.#rotate()
      this.#byteSize += writeSync(this.#descriptor, `${line}\n`)
    } catch {
      // It could only be reported on the same disk.
    }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #rotate(): void {
    rmSync(`${this.#path}.${keptFiles}`, { force: true })
    for (let age = keptFiles - 1; age >= 0; age -= 1) {
      const from = age === 0 ? this.#path : `${this.#path}.${age}`
      try {
        renameSync(from, `${this.#path}.${age + 1}`)
      } catch {
        // It does not exist yet: fewer than three files were ever full.
      }
    }
    closeSync(this.#descriptor)
    this.#descriptor = openSync(this.#path, 'a', 0o640)
    this.#byteSize = 0
  }
}
