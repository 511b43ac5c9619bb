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
