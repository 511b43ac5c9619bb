import type { IncomingMessage } from 'node:http'
import type { ClusterAccess } from './cluster-access.ts'
import { bodyOf, Exchanges } from './exchange.ts'
import { isExpired, KubernetesRefused, KubernetesUnavailable, refusalOf } from './failures.ts'
import { jsonObject, type KubernetesObject, type ObjectPage, objectOf, pageOf } from './objects.ts'
import { type WatchEvent, watchEvents } from './watch-events.ts'

/** Which objects of a collection a request is about. */
export interface Selection {
  labelSelector?: string
  fieldSelector?: string
}

export interface ObjectList {
  items: KubernetesObject[]
  resourceVersion: string
}

export interface KubernetesOptions extends ClusterAccess {
  /** For a whole answer; a watch has a time of its own. */
  timeoutMs?: number
  /** Objects of one page of a list. */
  pageSize?: number
}

const timeoutMsDefault = 15_000
/** The database of a cluster accepts objects of 1.5 MiB; ours have a few KiB. */
const objectMaxBytes = 4 * 1024 * 1024
const pageMaxBytes = 32 * 1024 * 1024
const pageSizeDefault = 250
/** A list that is longer is a fault: a namespace of runs holds what its quota allows. */
const listMaxItems = 50_000
/** After which the API server ends a watch; it sends a bookmark before. */
const watchSeconds = 240
const watchGraceMs = 30_000

/**
 * The API of one cluster: get, list, watch, create and delete of any kind of object, by the path of its collection. Nothing is repeated: a
 * caller knows what an unknown outcome means.
 */
export class KubernetesClient {
  readonly #exchanges: Exchanges
  readonly #timeoutMs: number
  readonly #pageSize: number

  constructor({ timeoutMs = timeoutMsDefault, pageSize = pageSizeDefault, ...access }: KubernetesOptions) {
    this.#exchanges = new Exchanges(access)
    this.#timeoutMs = timeoutMs
    this.#pageSize = pageSize
  }

  /** The answer of a path that is no object, such as `/version`. */
  async read(path: string): Promise<Record<string, unknown>> {
    return this.#answer({ method: 'GET', path, maxBytes: objectMaxBytes })
  }

  /** The answer to a question that is asked as an object, of which nothing is kept. */
  async review(path: string, question: object): Promise<Record<string, unknown>> {
    return this.#answer({ method: 'POST', path, body: question, maxBytes: objectMaxBytes })
  }

  async get(collection: string, name: string): Promise<KubernetesObject> {
    return objectOf(await this.read(pathOf(collection, name)))
  }

  /** Every object, read in pages. A list that lasts so long that its later pages are gone begins again, once. */
  async list(collection: string, selection: Selection = {}): Promise<ObjectList> {
    try {
      return await this.#pages(collection, selection)
    } catch (error) {
      if (isExpired(error)) return this.#pages(collection, selection)
      throw error
    }
  }

  async #pages(collection: string, selection: Selection): Promise<ObjectList> {
    const items: KubernetesObject[] = []
    let page: ObjectPage | undefined
    do {
      const query = {
        ...selection,
        limit: String(this.#pageSize),
        ...(page && { continue: page.next }),
      }
      const answer = await this.#answer({ method: 'GET', path: collection, query, maxBytes: pageMaxBytes })
      page = pageOf(answer)
      items.push(...page.items)
      if (items.length > listMaxItems) throw new KubernetesUnavailable('a list has no end')
    } while (page.next !== '')
    return { items, resourceVersion: page.resourceVersion }
  }

  /** Refused with the reason `AlreadyExists` if an object has that name. */
  async create(collection: string, manifest: object): Promise<KubernetesObject> {
    const maxBytes = objectMaxBytes
    return objectOf(await this.#answer({ method: 'POST', path: collection, body: manifest, maxBytes }))
  }

  /** Deletes the object of that uid, not another one of its name. False if it is gone. */
  async delete(collection: string, { name, uid }: { name: string; uid: string }, graceSeconds?: number) {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid },
      ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
    }
    const path = pathOf(collection, name)
    try {
      await this.#answer({ method: 'DELETE', path, body, maxBytes: objectMaxBytes })
      return true
    } catch (error) {
      // 409: another object has the name.
      if (error instanceof KubernetesRefused && (error.status === 404 || error.status === 409)) return false
      throw error
    }
  }

  /**
   * Changes since `resourceVersion`. Ends when the API server ends it or the connection is cut; the caller continues from the
   * version of the last event. Throws what `isExpired` detects if the server does not have that version any more.
   */
  async *watch(
    collection: string,
    resourceVersion: string,
    { signal, ...selection }: Selection & { signal: AbortSignal },
  ): AsyncGenerator<WatchEvent, void> {
    const query = {
      ...selection,
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(watchSeconds),
    }
    const ends = AbortSignal.any([signal, AbortSignal.timeout(watchSeconds * 1000 + watchGraceMs)])
    const answer = await this.#exchanges.open({ method: 'GET', path: collection, query, signal: ends })
    try {
      if (answer.statusCode !== 200) throw await failureOf(answer)
      yield* watchEvents(answer, objectMaxBytes)
    } finally {
      answer.destroy()
    }
  }

  close(): void {
    this.#exchanges.close()
  }

  async #answer({
    maxBytes,
    ...exchange
  }: {
    method: 'GET' | 'POST' | 'DELETE'
    path: string
    query?: Record<string, string>
    body?: object
    maxBytes: number
  }): Promise<Record<string, unknown>> {
    const signal = AbortSignal.timeout(this.#timeoutMs)
    const answer = await this.#exchanges.open({ ...exchange, signal })
    const { statusCode = 0 } = answer
    if (statusCode < 200 || statusCode > 299) throw await failureOf(answer)
    return jsonObject(await bodyOf(answer, maxBytes))
  }
}

const pathOf = (collection: string, name: string) => `${collection}/${encodeURIComponent(name)}`

const statusMaxBytes = 64 * 1024

/** Only what says that nothing was done is a refusal. */
async function failureOf(answer: IncomingMessage): Promise<Error> {
  const { statusCode: status = 0 } = answer
  if (status < 400 || status > 499 || status === 408 || status === 429) {
    answer.destroy()
    return new KubernetesUnavailable(`the API server answers ${status}`)
  }
  const body = await bodyOf(answer, statusMaxBytes)
  try {
    return refusalOf(status, jsonObject(body))
  } catch {
    return refusalOf(status, undefined)
  }
}
