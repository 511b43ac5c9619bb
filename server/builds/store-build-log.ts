import type { Readable } from 'node:stream'
import { buildLogKey } from './build-log-key.ts'
import { noteLogKept } from './build-log-store.ts'
import type { Build } from './steps/step.ts'

/** Stores the log of an attempt, in the place of one that is there, and has it counted to the company. */
export async function storeBuildLog(
  { order, tools, db }: Pick<Build, 'order' | 'tools' | 'db'>,
  body: Readable | Buffer,
): Promise<void> {
  const { byteSize } = await tools.storage.put(buildLogKey(order.attemptId), body)
  await noteLogKept(db, order, byteSize)
}
