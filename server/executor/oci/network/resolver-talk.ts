import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { eachLine } from '../../../base/each-line.ts'

interface Asked {
  lines: string[]
  answer: PromiseWithResolvers<string[]>
}

/** What is said between the agent and one resolver process (native/control.c). */
export class ResolverTalk {
  readonly #input: Writable
  readonly #asked: Asked[] = []
  #isOver = false

  constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#input = child.stdin
    child.stdin.on('error', () => undefined)
    eachLine(child.stdout, (line) => this.#hear(line))
    child.on('error', () => this.#end())
    child.once('close', () => this.#end())
  }

  /** Resolves with the lines before `done`; rejects when the process refuses, or is gone. */
  ask(line: string): Promise<string[]> {
    const answer = Promise.withResolvers<string[]>()
    if (this.#isOver) answer.reject(gone())
    else {
      this.#asked.push({ lines: [], answer })
      this.#input.write(`${line}\n`)
    }
    return answer.promise
  }

  #hear(line: string): void {
    const [first] = this.#asked
    if (!first) return
    if (line !== 'done' && line !== 'failed') return void first.lines.push(line)
    this.#asked.shift()
    if (line === 'done') first.answer.resolve(first.lines)
    else first.answer.reject(new Error('the resolver has no room'))
  }

  #end(): void {
    this.#isOver = true
    for (const { answer } of this.#asked.splice(0)) answer.reject(gone())
  }
}

const gone = () => new Error('the resolver has ended')
