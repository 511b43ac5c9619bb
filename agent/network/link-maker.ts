import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { eachLine } from '../../server/base/each-line.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { firstLinkIndex, gateway4, linkBase4, linkIndexes, linkPrefix6 } from './addresses.ts'
import type { Router } from './router.ts'

/** A network namespace with one link to the router, held open until a shim has entered it. */
export interface Link {
  index: number
  /** Path of the namespace while the maker process lives. */
  path: string
  /** Expected inode of the namespace. */
  inode: number
}

/** How soon after the end of a sandbox its connections are deleted: one reading of the kernel's table serves all that ended. */
const defaultSweepMs = 5000

/** The process that makes links (native/links/links.c). After it has died every call fails. */
export class LinkMaker {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #sweepMs: number
  #sweeping: NodeJS.Timeout | undefined
  readonly #waiting: PromiseWithResolvers<Link>[] = []
  #isGone = false

  /** Indexes are used round robin after `last`, which is random, so an index is reused only long after its link. */
  constructor(
    program: string,
    router: Pick<Router, 'namespace' | 'hasIp6'>,
    {
      last = randomInt(firstLinkIndex, linkIndexes),
      sweepMs = defaultSweepMs,
    }: { last?: number; sweepMs?: number } = {},
  ) {
    this.#sweepMs = sweepMs
    const prefix6 = router.hasIp6 ? linkPrefix6 : '-'
    this.#child = spawn(program, [router.namespace, String(last), linkBase4, gateway4, prefix6], {
      env: {},
      cwd: '/',
    })
    this.#child.stdin.on('error', () => undefined)
    this.#child.stderr.on('error', () => undefined).resume()
    this.#child.on('error', () => this.#end())
    this.#child.once('close', () => this.#end())
    eachLine(this.#child.stdout, (line) => this.#answer(line))
  }

  get isGone(): boolean {
    return this.#isGone
  }

  make(): Promise<Link> {
    const wanted = Promise.withResolvers<Link>()
    if (this.#isGone) wanted.reject(gone())
    else {
      this.#waiting.push(wanted)
      this.#child.stdin.write('make\n')
    }
    return wanted.promise
  }

  /** Closes the link of a sandbox that has ended, and soon deletes its connections. */
  drop({ path, index }: Link): void {
    if (this.#isGone) return
    // A link of an earlier maker was closed when that maker died.
    const [, pid, descriptor] = /^\/proc\/(\d+)\/fd\/(\d+)$/.exec(path) ?? []
    if (Number(pid) === this.#child.pid) this.#child.stdin.write(`drop ${descriptor}\n`)
    this.#child.stdin.write(`forget ${index}\n`)
    this.#sweeping ??= setTimeout(() => this.#sweep(), this.#sweepMs).unref()
  }

  /** Ends the process; links that are not in use disappear with it. */
  async stop(): Promise<void> {
    if (this.#isGone) return
    if (this.#sweeping) this.#sweep()
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.stdin.end()
    await ended
  }

  #sweep(): void {
    clearTimeout(this.#sweeping)
    this.#sweeping = undefined
    this.#child.stdin.write('sweep\n')
  }

  #answer(line: string): void {
    const [word, index, descriptor, inode] = line.split(' ')
    const wanted = this.#waiting.shift()
    if (word === 'link') {
      const path = `/proc/${this.#child.pid}/fd/${descriptor}`
      wanted?.resolve({ index: Number(index), path, inode: Number(inode) })
    } else {
      const reason = line.replace(/^failed /, '')
      wanted?.reject(new ExecutorRefused('network_link', `a network link cannot be made: ${reason}`))
    }
  }

  #end(): void {
    this.#isGone = true
    clearTimeout(this.#sweeping)
    for (const wanted of this.#waiting.splice(0)) wanted.reject(gone())
  }
}

const gone = () => new ExecutorRefused('network_link', 'the link maker has died: try again')
