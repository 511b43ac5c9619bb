import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { KubernetesUnavailable, refusalOf } from './failures.ts'
import { jsonObject, type KubernetesObject, objectOf } from './objects.ts'

/** An object as it is now, or as it was when it was removed; or the version that a watch has reached. */
export type WatchEvent =
  | { kind: 'present' | 'removed'; object: KubernetesObject }
  | { kind: 'bookmark'; resourceVersion: string }

const lineFeed = 10

/** The events of a watch, one a line. A cut connection is an end like any other, and drops a line that did not come whole. */
export async function* watchEvents(
  answer: AsyncIterable<Buffer>,
  lineMaxBytes: number,
): AsyncGenerator<WatchEvent, void> {
  for await (const line of linesOf(untilCut(answer), lineMaxBytes)) yield eventOf(line)
}

async function* untilCut(answer: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const parts = answer[Symbol.asyncIterator]()
  for (;;) {
    const part = await parts.next().catch(() => ({ done: true }) as const)
    if (part.done) return
    yield part.value
  }
}

async function* linesOf(parts: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let partial: Buffer[] = []
  let length = 0
  for await (const part of parts) {
    let at = 0
    for (let end = part.indexOf(lineFeed); end >= 0; end = part.indexOf(lineFeed, at)) {
      yield Buffer.concat([...partial, part.subarray(at, end)])
      partial = []
      length = 0
      at = end + 1
    }
    if (at < part.length) partial.push(part.subarray(at))
    length += part.length - at
    if (length > maxBytes) throw new KubernetesUnavailable('an event of a watch is too long')
  }
}

const kinds = { ADDED: 'present', MODIFIED: 'present', DELETED: 'removed' } as const

function eventOf(line: Buffer): WatchEvent {
  const { type, object } = jsonObject(line)
  if (type === 'ERROR' && isJsonObject(object)) {
    const { code } = object
    if (typeof code === 'number' && code >= 400 && code < 500) throw refusalOf(code, object)
    throw new KubernetesUnavailable('the API server ended a watch')
  }
  if (type === 'BOOKMARK' && isJsonObject(object) && isJsonObject(object.metadata)) {
    const { resourceVersion } = object.metadata
    if (typeof resourceVersion === 'string') return { kind: 'bookmark', resourceVersion }
  }
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) && kinds[type as keyof typeof kinds]
  if (!kind) throw new KubernetesUnavailable('the API server sent an unknown event')
  return { kind, object: objectOf(object) }
}
