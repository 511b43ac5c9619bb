import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { sleep } from '../../../base/clock.ts'
import { specialRanges4, specialRanges6 } from '../../../base/special-ranges.ts'
import { ExecutorRefused, type Refusals } from '../../port.ts'
import { storageIdBase } from '../id-ranges.ts'
import { gateway4, linkBase4 } from './addresses.ts'
import { parseRefusals } from './refusals.ts'
import { ResolverTalk } from './resolver-talk.ts'
import type { Router } from './router.ts'
import type { ListedLink } from './rules.ts'

/** Below the ids of images on disk: nothing on the host belongs to it, and no sandbox runs as it. */
const resolverUid = storageIdBase - 1
const restartMs = 200
/** Nobody's end waits longer for what was refused to it. */
const patienceMs = 2000
/** Where a host has no resolver, questions go to where none answers. */
const nowhere = '127.0.0.1'

/** What every resolver has to know, by the number of the link. */
export interface ResolverState {
  lists: ReadonlyMap<number, ListedLink>
  shares: ReadonlyMap<number, number>
}

/** Keeps one resolver (native/resolver.c) running for a router's sandboxes, and holds it to `state`. */
export class Resolver {
  readonly #program: string
  readonly #router: Router
  readonly #state: ResolverState
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #child: ChildProcess | undefined
  #talk = Promise.withResolvers<ResolverTalk>()

  constructor(program: string, router: Router, state: ResolverState) {
    this.#program = program
    this.#router = router
    this.#state = state
    this.#loop = this.#keepRunning()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGKILL')
    await this.#loop
  }

  /** Resolves when the link is held to its list, which is among `lists`. */
  async hold(link: ListedLink): Promise<void> {
    try {
      await (await this.#talk.promise).ask(listLine(link))
    } catch {
      throw new ExecutorRefused('network_list', 'the resolver took no further list of names: try again')
    }
  }

  /** Gives the link its share, which is among `state`. Without, it has one of its own: no start waits for this. */
  share(index: number, share: number): void {
    this.#say(shareLine(index, share))
  }

  /** The link has neither list nor share any more. */
  letGo(index: number): void {
    this.#say(`drop ${index}`)
  }

  /** A resolver that has ended knows nothing, and the next one begins with `state`. */
  #say(line: string): void {
    this.#talk.promise.then((talk) => talk.ask(line)).catch(() => undefined)
  }

  /** What was refused to the link since it was asked last; a resolver that was killed takes what it knew with it. */
  async takeRefusals(index: number): Promise<Refusals> {
    const talk = await this.#talk.promise
    const patience = sleep(patienceMs).then(() => {
      throw new Error('the resolver does not answer')
    })
    return parseRefusals(await Promise.race([talk.ask(`take ${index}`), patience]))
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // Read each time: the host's resolvers may change.
      const upstreams = await hostResolvers()
      if (signal.aborted) break
      const ranges = [...specialRanges4, ...specialRanges6].map(({ range }) => range).join(',')
      const words = [this.#router.namespace, gateway4, linkBase4, String(resolverUid), ranges, ...upstreams]
      const child = spawn(this.#program, words, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
      this.#child = child
      const ended = Promise.race([once(child, 'exit'), once(child, 'error')])
      const talk = new ResolverTalk(child)
      // Each answers in its turn; what fails shows as the process's end.
      const lines = [
        ...[...this.#state.lists.values()].map(listLine),
        ...[...this.#state.shares].map(([index, share]) => shareLine(index, share)),
      ]
      for (const line of lines) talk.ask(line).catch(() => child.kill('SIGKILL'))
      talk.ask('serve').then(
        () => this.#talk.resolve(talk),
        () => undefined,
      )
      await ended
      this.#talk.reject(new Error('the resolver has ended'))
      this.#talk.promise.catch(() => undefined)
      this.#talk = Promise.withResolvers<ResolverTalk>()
      if (!signal.aborted) await sleep(restartMs)
    }
    this.#talk.reject(new Error('the resolver was stopped'))
    this.#talk.promise.catch(() => undefined)
  }
}

const shareLine = (index: number, share: number) => `share ${index} ${share}`

const listLine = ({ index, allow }: ListedLink) => `list ${index} ${allow.names.join(',')}`

async function hostResolvers(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const found = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address)
  return found.length > 0 ? found : [nowhere]
}
