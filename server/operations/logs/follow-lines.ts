import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../base/clock.ts'
import { type LogLine, parseLogLine } from './log-line.ts'
import { fileOf, isWanted, type LinesWanted } from './newest-lines.ts'

const everyMs = 300
const blockBytes = 256 * 1024

/** The lines that are written from its construction on. */
export class FollowedLines {
  /** Where they begin in the file of each role. */
  readonly starts = new Map<string, number>()
  readonly #tails: { role: string; tail: Tail }[]
  readonly #wanted: LinesWanted

  constructor(folder: string, wanted: LinesWanted) {
    this.#wanted = wanted
    const roles = [...new Set(wanted.services.map(fileOf))]
    this.#tails = roles.map((role) => ({ role, tail: new Tail(join(folder, `${role}.log`)) }))
    for (const { role, tail } of this.#tails) this.starts.set(role, tail.offset)
  }

  /** As they come, until `signal` fires. */
  async *lines(signal: AbortSignal): AsyncGenerator<LogLine> {
    while (!signal.aborted) {
      yield* this.#written()
      await sleep(everyMs, signal).catch(() => undefined)
    }
  }

  close(): void {
    for (const { tail } of this.#tails) tail.close()
  }

  *#written(): Generator<LogLine> {
    for (const { role, tail } of this.#tails) {
      for (const text of tail.lines()) {
        const line = parseLogLine(role, text)
        if (isWanted(this.#wanted, line)) yield line
      }
    }
  }
}

interface OpenFile {
  descriptor: number
  inode: number
  offset: number
}

/** Lines that are appended to a file, also after it was renamed and another one took its name. */
class Tail {
  readonly #path: string
  #open: OpenFile | undefined
  /** Bytes after the last line end. */
  #rest = Buffer.alloc(0)

  constructor(path: string) {
    this.#path = path
    this.#open = openFile(path, 'end')
  }

  /** Up to which it is read. */
  get offset(): number {
    return this.#open?.offset ?? 0
  }

  *lines(): Generator<string> {
    yield* this.#appended()
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino
    if (inode === undefined || inode === this.#open?.inode) return
    // Once more: the writer may have written to the old file just before it was renamed.
    yield* this.#appended()
    this.close()
    this.#open = openFile(this.#path, 'start')
    yield* this.#appended()
  }

  close(): void {
    if (this.#open) closeSync(this.#open.descriptor)
    this.#open = undefined
  }

  *#appended(): Generator<string> {
    const block = Buffer.alloc(blockBytes)
    while (this.#open) {
      const read = readSync(this.#open.descriptor, block, 0, block.length, this.#open.offset)
      if (read === 0) return
      this.#open.offset += read
      const bytes = Buffer.concat([this.#rest, block.subarray(0, read)])
      const end = bytes.lastIndexOf('\n') + 1
      this.#rest = bytes.subarray(end)
      for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') yield line
    }
  }
}

/** Undefined while there is no such file. */
function openFile(path: string, from: 'start' | 'end'): OpenFile | undefined {
  try {
    const descriptor = openSync(path, 'r')
    const { ino: inode, size } = fstatSync(descriptor)
    return { descriptor, inode, offset: from === 'end' ? size : 0 }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
