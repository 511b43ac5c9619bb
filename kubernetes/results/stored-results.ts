import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ExecutorUnavailable, SandboxUnknown } from '../../agent/port/errors.ts'
import type { LogPart, ResultPort } from '../../agent/port/results.ts'
import type { CollectedTreeFile, SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { treeFilesOf } from '../../agent/port/tree-index.ts'
import { windowBytes } from '../gateway/log-window.ts'
import type { PodSessions } from '../gateway/pod-session.ts'
import { type PodExit, sandboxExitOf } from '../records/pod-exit.ts'
import type { SandboxRecords } from '../records/sandbox-records.ts'
import { resultBounds } from './result-bounds.ts'
import { type ResultName, type ResultStore, resultKey } from './result-store.ts'

export interface ResultDeps {
  records: SandboxRecords
  sessions: PodSessions
  store: ResultStore
}

interface Ended {
  id: string
  spec: SandboxSpec
  exit: PodExit
}

/** For the log of a running sandbox, of which nothing was sent yet. */
const firstLogMs = 2000

/** The results of sandboxes that have ended, from the object store; and the newest part of the log of one that runs. */
export class StoredResults implements ResultPort {
  readonly #deps: ResultDeps

  constructor(deps: ResultDeps) {
    this.#deps = deps
  }

  async log(id: string): Promise<Readable> {
    const ended = await this.#ended(id)
    if (!ended) return Readable.from([(await this.logSince(id, 0, firstLogMs)).bytes], { objectMode: false })
    const { exit, spec } = ended
    const { logTotalBytes: total, logKeptBytes: kept } = exit
    if (kept === 0) return Readable.from([])
    const stored = await this.#open(id, 'log')
    if (total === kept) return stored
    return Readable.from(withMark(stored, Math.floor(spec.limits.logBytes / 2), total - kept))
  }

  async logSince(id: string, position: number, waitMs = 0): Promise<LogPart> {
    const ended = await this.#ended(id)
    if (!ended) return this.#deps.sessions.of(id).logSince(position, waitMs)
    const { logTotalBytes: total, logKeptBytes: kept } = ended.exit
    const tailStart = total === kept ? 0 : total - (kept - Math.floor(ended.spec.limits.logBytes / 2))
    const start = Math.min(Math.max(position, total - windowBytes, tailStart), total)
    if (start === total) return { start, bytes: Buffer.alloc(0) }
    const range = { start: kept - (total - start), end: kept - 1 }
    return { start, bytes: await buffer(await this.#open(id, 'log', range)) }
  }

  async file(id: string, name: string): Promise<Readable> {
    const { spec, exit } = await this.#surelyEnded(id)
    const at = spec.collect.files.findIndex((file) => file.name === name)
    if (exit.files[at]?.status !== 'present') throw new SandboxUnknown(`${id}/${name}`)
    return exit.files[at].byteSize === 0 ? Readable.from([]) : this.#open(id, `file-${at}`)
  }

  async tree(id: string): Promise<Readable> {
    return this.#collected(id, 'tree')
  }

  async folder(id: string): Promise<Readable> {
    return this.#collected(id, 'folder')
  }

  async #collected(id: string, part: 'tree' | 'folder'): Promise<Readable> {
    const { spec, exit } = await this.#surelyEnded(id)
    const { status } = exit[part]
    if (spec.collect[part] && status === 'absent') return Readable.from([])
    if (!spec.collect[part] || status !== 'collected') throw new SandboxUnknown(`${id}/${part}`)
    return this.#open(id, part)
  }

  /** The exit record with the files of its tree. An index that is missing or has another form is a tree that was lost. */
  async exitOf({ id, spec, exit }: Ended): Promise<SandboxExit> {
    if (exit.tree.status !== 'collected' || !spec.collect.tree) return sandboxExitOf(exit, spec, [])
    const files = await this.#treeFiles(id, spec.collect.tree.maxFiles)
    if (files) return sandboxExitOf(exit, spec, files)
    return sandboxExitOf({ ...exit, tree: { status: 'rejected', reason: 'storage', path: '' } }, spec, [])
  }

  async #treeFiles(id: string, maxFiles: number): Promise<CollectedTreeFile[] | undefined> {
    const { store } = this.#deps
    const key = resultKey(id, 'tree-index')
    if ((await store.size(key)) === undefined) return undefined
    const index = await buffer(await store.get(key)).catch(thrownAsUnavailable)
    const files = parsed(index)
    if (!files || files.length > maxFiles) return undefined
    const byteSize = files.reduce((sum, file) => sum + file.byteSize, 0)
    const storedBytes = (await store.size(resultKey(id, 'tree'))) ?? 0
    return byteSize === storedBytes ? files : undefined
  }

  /** Everything that a sandbox of this specification may have. */
  async remove(id: string, spec: SandboxSpec): Promise<void> {
    for (const name of resultBounds(spec).keys()) await this.#deps.store.delete(resultKey(id, name))
  }

  /** Undefined while it runs. Throws `SandboxUnknown` if it never started or is removed. */
  async #ended(id: string): Promise<Ended | undefined> {
    const record = await this.#deps.records.find(id)
    if (!record?.spec || record.state === 'placed') throw new SandboxUnknown(id)
    return record.exit && { id, spec: record.spec, exit: record.exit }
  }

  async #surelyEnded(id: string): Promise<Ended> {
    const ended = await this.#ended(id)
    if (!ended) throw new SandboxUnknown(id)
    return ended
  }

  async #open(id: string, name: ResultName, range?: { start: number; end: number }): Promise<Readable> {
    const { store } = this.#deps
    const key = resultKey(id, name)
    if ((await store.size(key)) === undefined) throw new SandboxUnknown(`${id}/${name}`)
    return store.get(key, range).catch(thrownAsUnavailable)
  }
}

function thrownAsUnavailable(cause: unknown): never {
  throw new ExecutorUnavailable('results of a sandbox cannot be read', { cause })
}

/** Undefined if its writer broke the form. */
function parsed(index: Buffer): CollectedTreeFile[] | undefined {
  try {
    return treeFilesOf(index)
  } catch {
    return undefined
  }
}

/** The log as people read it: a line in the place of what was left out behind the head. */
async function* withMark(log: Readable, headBytes: number, leftOut: number): AsyncGenerator<Buffer> {
  let left = headBytes
  for await (const chunk of log as AsyncIterable<Buffer>) {
    const head = left > 0 ? chunk.subarray(0, left) : undefined
    left -= head?.length ?? 0
    if (head) yield head
    if (head && left === 0) yield Buffer.from(`\n[... ${leftOut} bytes of the log are left out here ...]\n`)
    const tail = chunk.subarray(head?.length ?? 0)
    if (tail.length > 0) yield tail
  }
}
