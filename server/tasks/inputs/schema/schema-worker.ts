import { parentPort } from 'node:worker_threads'
import { answer } from '@sandbox-jobs/contract/input-schema/answer.ts'
import { makeAllKeysPlain } from '@sandbox-jobs/contract/input-schema/plain-keys.ts'
import { lowerPriority } from '../../../base/priority/lower-priority.ts'
import { parseBody } from './parse-body.ts'
import type { Answered } from './schema-thread.ts'
import { ownThread } from './thread-time.ts'
import type { Question } from './verdict.ts'

/**
 * The worker thread: sends its thread id, then one answer for each question, one at a time. An uncaught error ends
 * the thread.
 */
// Applies to this thread only: requests without a check have priority.
lowerPriority()
makeAllKeysPlain()
parentPort?.on('message', async (question: Question) => {
  const before = process.threadCpuUsage()
  const verdict = 'body' in question ? parseBody(question) : await answer(question)
  const { user, system } = process.threadCpuUsage(before)
  parentPort?.postMessage({ verdict, usedMs: (user + system) / 1000 } satisfies Answered, movable(verdict))
})
parentPort?.postMessage(ownThread())

/** The bytes of a staged input are moved, not copied, unless they are part of Node's pool. */
function movable(verdict: Answered['verdict']): ArrayBuffer[] {
  if (verdict.kind !== 'body' || !verdict.input || !('content' in verdict.input)) return []
  const { buffer, length } = verdict.input.content
  return buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : []
}
