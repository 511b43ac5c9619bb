import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { eachLine } from '../../server/base/each-line.ts'

interface PendingRequest {
  lines: string[]
  answer: PromiseWithResolvers<string[]>
}

/** The control protocol between the agent and one resolver process (native/resolver/control.c). */
export class ResolverConnection {
  readonly #input: Writable
  readonly #pending: PendingRequest[] = []
  #isOver = false

  constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#input = child.stdin
    child.stdin.on('error', () => undefined)
    eachLine(child.stdout, (line) => this.#onLine(line))
    child.on('error', () => this.#end())
    child.once('close', () => this.#end())
  }

  /** Sends one command. Resolves with the lines before `done`; rejects if the process refuses or has ended. */
  request(line: string): Promise<string[]> {
    const answer = Promise.withResolvers<string[]>()
    if (this.#isOver) answer.reject(gone())
    else {
      this.#pending.push({ lines: [], answer })
      this.#input.write(`${line}\n`)
    }
    return answer.promise
  }

  #onLine(line: string): void {
    const [first] = this.#pending
    if (!first) return
    if (line !== 'done' && line !== 'failed') return void first.lines.push(line)
    this.#pending.shift()
    if (line === 'done') first.answer.resolve(first.lines)
    else first.answer.reject(new Error('the resolver refused the command: it has no free slot'))
  }

  #end(): void {
    this.#isOver = true
    for (const { answer } of this.#pending.splice(0)) answer.reject(gone())
  }
}

const gone = () => new Error('the resolver has ended')
