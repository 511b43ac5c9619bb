import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import {
  GuardedFailure,
  type GuardedOptions,
  guardedRequest,
} from '../../base/guarded-requests/guarded-request.ts'
import { reachableBy, resolveName } from '../../base/guarded-requests/reachable-addresses.ts'
import { RecentMap } from '../../base/recent-map.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import type { Principal } from '../principal.ts'
import { documentMaxBytes, readClientDocument } from './client-document.ts'
import type { OAuthClient } from './client-registration.ts'
import { OAuthError } from './oauth-error.ts'

/** Documents that are kept, of at most `documentMaxBytes` each. */
const keptMin = 128
/** Bounds of how long a document may be used, whatever its server says, and how long without a word of it. */
const [freshMinSeconds, freshDefaultSeconds, freshMaxSeconds] = [60, 300, 3600]

/** How documents are fetched: from public addresses alone. */
export const documentFetching: GuardedOptions = {
  isReachable: reachableBy(),
  resolve: resolveName,
  timeoutMs: 5000,
}

interface Fetched {
  client: OAuthClient
  /** Milliseconds since 1970. */
  freshUntil: number
}

const wrong = (problem: string) =>
  new OAuthError('invalid_client', `The document at the client_id cannot be fetched: ${problem}.`)

const tooMany = () =>
  new OAuthError('temporarily_unavailable', 'Too many clients are connected at once. Try again.')

/**
 * Fetches the documents of clients, for people who have logged in: nobody else has this service send a request. A document
 * is shared by all who use it while it is fresh; failures are not kept.
 */
export class ClientDocuments {
  readonly #clock: Clock
  readonly #fetching: GuardedOptions
  readonly #kept = new RecentMap<Fetched>(keptMin)
  /** Fetches at once. Servers that hang hold those of their company alone. */
  readonly #fetches = new SharedSlots({ all: 32, each: 4, assuredEach: 1 })

  constructor({
    clock,
    fetching = documentFetching,
  }: { clock: Clock; fetching?: GuardedOptions | undefined }) {
    this.#clock = clock
    this.#fetching = fetching
  }

  /** The client with this id, which is the address of a document. Throws `invalid_client`, `temporarily_unavailable`. */
  async read(clientId: string, { companyId }: Pick<Principal, 'companyId'>): Promise<OAuthClient> {
    const kept = this.#kept.get(clientId)
    if (kept && kept.freshUntil > this.#clock.now().getTime()) return kept.client
    return this.#fetches.within(companyId, tooMany, async () => {
      const { content, freshSeconds } = await this.#fetch(clientId)
      const client = readClientDocument(clientId, content)
      this.#kept.set(clientId, { client, freshUntil: this.#clock.now().getTime() + freshSeconds * 1000 })
      return client
    })
  }

  async #fetch(clientId: string) {
    const headers = { accept: 'application/json', 'user-agent': 'Sandbox-Jobs' }
    try {
      return await guardedRequest(new URL(clientId), { method: 'GET', headers }, contentOf, this.#fetching)
    } catch (error) {
      if (error instanceof GuardedFailure) throw wrong(error.slug)
      throw error
    }
  }
}

async function contentOf(response: IncomingMessage): Promise<{ content: Buffer; freshSeconds: number }> {
  const { statusCode = 0, headers } = response
  if (statusCode >= 300 && statusCode < 400) throw new GuardedFailure('redirect')
  if (statusCode !== 200) throw new GuardedFailure('status')
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw new GuardedFailure('content_type')
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response) {
    length += (part as Buffer).length
    if (length > documentMaxBytes) throw new GuardedFailure('too_large')
    parts.push(part as Buffer)
  }
  return { content: Buffer.concat(parts), freshSeconds: freshSecondsOf(headers['cache-control'] ?? '') }
}

function freshSecondsOf(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return freshMinSeconds
  const maxAge = /\bmax-age=(?<seconds>\d{1,9})\b/i.exec(cacheControl)?.groups?.seconds
  return Math.min(Math.max(Number(maxAge ?? freshDefaultSeconds), freshMinSeconds), freshMaxSeconds)
}
