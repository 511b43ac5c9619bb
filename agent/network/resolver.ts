import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { specialRanges4, specialRanges6 } from '../../server/base/addresses/special-ranges.ts'
import { sleep } from '../../server/base/clock.ts'
import { storageIdBase } from '../host/id-ranges.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { gateway4, linkBase4 } from './addresses.ts'
import { type LinkRecords, parseRecords } from './refusals.ts'
import { ResolverConnection } from './resolver-connection.ts'
import type { Router } from './router.ts'
import type { ListedLink } from './rules.ts'

/** Below the ids of images on disk: it owns nothing on the host, and no sandbox uses it. */
const resolverUid = storageIdBase - 1
const restartMs = 200
/** Maximum time that the end of a sandbox waits for its refusals. */
const answerTimeoutMs = 2000
/** Upstream on a host without a resolver: nothing answers there. */
const unansweredAddress = '127.0.0.1'

/** State that each new resolver process is loaded with, by the number of the link. */
export interface ResolverState {
  lists: ReadonlyMap<number, ListedLink>
  shares: ReadonlyMap<number, number>
  /** Links whose reach is recorded. */
  recorded: ReadonlyMap<number, unknown>
}

/** Keeps one resolver process (native/resolver/resolver.c) running for a router's sandboxes, loaded with `state`. */
export class Resolver {
  readonly #program: string
  readonly #router: Pick<Router, 'namespace'>
  readonly #state: ResolverState
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  readonly #onError: (error: unknown) => void
  #child: ChildProcess | undefined
  #connection = Promise.withResolvers<ResolverConnection>()
  /** Another one for each process. The records of a process end with it. */
  session: object = {}

  constructor(
    program: string,
    router: Pick<Router, 'namespace'>,
    { onError, ...state }: ResolverState & { onError: (error: unknown) => void },
  ) {
    this.#program = program
    this.#router = router
    this.#state = state
    this.#onError = onError
    this.#loop = this.#keepRunning()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGKILL')
    await this.#loop
  }

  /** Resolves when the resolver enforces the link's list. The caller has added it to `lists` before. */
  async enforceList(link: ListedLink): Promise<void> {
    try {
      await (await this.#connection.promise).request(listLine(link))
    } catch {
      throw new ExecutorRefused('network_list', 'the resolver took no further list of names: try again')
    }
  }

  /**
   * Gives the link to a sandbox: nothing of an earlier one is left, and it has this share, which is in `state` too. Until then the
   * link has its own share, so no start waits for this.
   */
  assign(index: number, share: number | undefined): void {
    this.release(index)
    if (share !== undefined) this.#send(shareLine(index, share))
  }

  /** Resolves when the resolver records what the link reaches. The caller has added it to `recorded` before. */
  async record(index: number): Promise<void> {
    try {
      await (await this.#connection.promise).request(`record ${index}`)
    } catch {
      throw new ExecutorRefused('network_list', 'the resolver cannot record what a build reaches: try again')
    }
  }

  /** Removes the list, the share and the records of the link. */
  release(index: number): void {
    this.#send(`drop ${index}`)
  }

  /** Sends a command without waiting. If the resolver has ended, the next one is loaded with `state` anyway. */
  #send(line: string): void {
    this.#connection.promise.then((connection) => connection.request(line)).catch(() => undefined)
  }

  /** Records of the link since the previous call. A killed resolver loses them. */
  async takeRecords(index: number): Promise<LinkRecords> {
    const lines = this.#connection.promise.then((connection) => connection.request(`take ${index}`))
    const timeout = sleep(answerTimeoutMs).then(() => {
      throw new Error('the resolver does not answer')
    })
    return parseRecords(await Promise.race([lines, timeout]))
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // A process that cannot be started is tried again like one that has ended.
      await this.#runOnce(signal).catch(this.#onError)
      this.#connection.reject(new Error('the resolver has ended'))
      this.#connection.promise.catch(() => undefined)
      this.#connection = Promise.withResolvers<ResolverConnection>()
      if (!signal.aborted) await sleep(restartMs)
    }
    this.#connection.reject(new Error('the resolver was stopped'))
    this.#connection.promise.catch(() => undefined)
  }

  /** Resolves when the process has ended. */
  async #runOnce(signal: AbortSignal): Promise<void> {
    // Read at each start: the host's resolvers may change.
    const upstreams = await hostResolvers()
    if (signal.aborted) return
    const ranges = [...specialRanges4, ...specialRanges6].map(({ range }) => range).join(',')
    const words = [this.#router.namespace, gateway4, linkBase4, String(resolverUid), ranges, ...upstreams]
    const child = spawn(this.#program, words, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = once(child, 'exit')
    ended.catch(() => undefined)
    this.#child = child
    this.session = {}
    const connection = new ResolverConnection(child)
    // Answers come in order; a failed command ends the process.
    const lines = [
      ...[...this.#state.lists.values()].map(listLine),
      ...[...this.#state.shares].map(([index, share]) => shareLine(index, share)),
      ...[...this.#state.recorded.keys()].map((index) => `record ${index}`),
    ]
    for (const line of lines) connection.request(line).catch(() => child.kill('SIGKILL'))
    connection.request('serve').then(
      () => this.#connection.resolve(connection),
      () => undefined,
    )
    await ended
  }
}

const shareLine = (index: number, share: number) => `share ${index} ${share}`

const listLine = ({ index, allow }: ListedLink) => `list ${index} ${allow.names.join(',')}`

async function hostResolvers(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const found = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address)
  return found.length > 0 ? found : [unansweredAddress]
}
