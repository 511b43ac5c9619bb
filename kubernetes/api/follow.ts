import { setTimeout as delay } from 'node:timers/promises'
import type { KubernetesClient, Selection } from './client.ts'
import { isExpired, KubernetesUnavailable } from './failures.ts'
import type { KubernetesObject } from './objects.ts'

/** Every object of a collection: what is not among them is gone. Or one that changed since. */
export type Followed =
  | { kind: 'all'; objects: KubernetesObject[] }
  | { kind: 'present' | 'removed'; object: KubernetesObject }

export interface FollowOptions extends Selection {
  signal: AbortSignal
  /** Between requests to a server that does not answer. */
  retryMs?: number
}

const retryMsDefault = 1000

/**
 * Lists a collection and watches it from there, until the signal. Survives cut watches, an API server that is away, and versions that it does not
 * have any more: then everything comes again. A refusal is thrown.
 */
export async function* follow(
  client: Pick<KubernetesClient, 'list' | 'watch'>,
  collection: string,
  { signal, retryMs = retryMsDefault, ...selection }: FollowOptions,
): AsyncGenerator<Followed, void> {
  let version: string | undefined
  while (!signal.aborted) {
    const before = version
    try {
      if (version === undefined) {
        const { items, resourceVersion } = await client.list(collection, selection)
        version = resourceVersion
        yield { kind: 'all', objects: items }
      }
      for await (const event of client.watch(collection, version, { ...selection, signal })) {
        version = event.kind === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion
        if (event.kind !== 'bookmark') yield event
      }
    } catch (error) {
      if (isExpired(error)) version = undefined
      else if (!(error instanceof KubernetesUnavailable)) throw error
    }
    // A server that ends each watch at once, or has no version that it sends, is not asked without a pause.
    if (version === before || version === undefined)
      await delay(retryMs, undefined, { signal }).catch(() => {})
  }
}
