import type { Readable } from 'node:stream'
import type { Build } from '../request/build.ts'
import { buildLogKey, recordLogSize } from './build-log-store.ts'

/** Stores the log of an attempt, replacing an earlier one, and counts its bytes to the company. */
export async function storeBuildLog(
  { request, tools, db }: Pick<Build, 'request' | 'tools' | 'db'>,
  body: Readable | Buffer,
): Promise<void> {
  const { byteSize } = await tools.storage.put(buildLogKey(request.attemptId), body)
  await recordLogSize(db, request, byteSize)
}

/**
 * Offers this sandbox's log to followers of the build, until the attempt ends in this worker, so that they also get the last
 * lines. `ahead` is the number of bytes of the build's log before it.
 */
export function offerLog(
  { request, tools, signal }: Pick<Build, 'request' | 'tools' | 'signal'>,
  { sandboxId, ahead }: { sandboxId: string; ahead?: number },
): void {
  const withdraw = tools.liveLogs.register(request.attemptId, sandboxId, ahead)
  signal.addEventListener('abort', withdraw, { once: true })
}
