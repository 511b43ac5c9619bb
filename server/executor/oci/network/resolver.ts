import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { sleep } from '../../../base/clock.ts'
import { storageIdBase } from '../id-ranges.ts'
import { gateway4 } from './addresses.ts'
import type { Router } from './router.ts'
import { specialRanges4, specialRanges6 } from './special-ranges.ts'

/** Below the ids of images on disk: nothing on the host belongs to it, and no sandbox runs as it. */
const resolverUid = storageIdBase - 1
const restartMs = 200
/** Where a host has no resolver, questions go to where none answers. */
const nowhere = '127.0.0.1'

/** Keeps one resolver (native/resolver.c) running for a router's sandboxes. */
export class Resolver {
  readonly #program: string
  readonly #router: Router
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #child: ChildProcess | undefined

  constructor(program: string, router: Router) {
    this.#program = program
    this.#router = router
    this.#loop = this.#keepRunning()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGKILL')
    await this.#loop
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // Read each time: the host's resolvers may change.
      const upstreams = await hostResolvers()
      if (signal.aborted) return
      const ranges = [...specialRanges4, ...specialRanges6].map(({ range }) => range).join(',')
      const words = [this.#router.namespace, gateway4, String(resolverUid), ranges, ...upstreams]
      this.#child = spawn(this.#program, words, { env: {}, cwd: '/', stdio: 'ignore' })
      await Promise.race([once(this.#child, 'exit'), once(this.#child, 'error')])
      if (!signal.aborted) await sleep(restartMs)
    }
  }
}

async function hostResolvers(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const found = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address)
  return found.length > 0 ? found : [nowhere]
}
