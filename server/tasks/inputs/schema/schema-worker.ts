import { parentPort } from 'node:worker_threads'
import { defineVocabulary, loadDialect } from '@hyperjump/json-schema/experimental'
import { lowerPriority } from '../../../base/priority/lower-priority.ts'
import { answer } from './answer.ts'
import { parseBody } from './parse-body.ts'
import type { Answered } from './schema-thread.ts'
import { ownThread } from './thread-time.ts'
import type { Question } from './verdict.ts'

/** Vocabularies of the dialect itself; true: a schema that requires it may be used. */
const vocabularies = Object.fromEntries(
  ['core', 'applicator', 'validation', 'meta-data', 'format-annotation', 'content', 'unevaluated'].map(
    (name) => [`https://json-schema.org/draft/2020-12/vocab/${name}`, true],
  ),
)

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

/**
 * Makes every key of a schema or an instance an ordinary key. Only for a thread that does nothing but check schemas.
 * The validator looks up keywords in plain objects, which inherit some names: `__proto__` is removed from them, and
 * the other names become unknown keywords, which draft 2020-12 treats as annotations without effect.
 */
function makeAllKeysPlain(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  const ignored = 'https://schema.invalid/vocab/ignored'
  const unknown = (keyword: string) => `https://json-schema.org/keyword/unknown#${keyword}`
  defineVocabulary(ignored, Object.fromEntries(inherited.map((keyword) => [keyword, unknown(keyword)])))
  loadDialect('https://json-schema.org/draft/2020-12/schema', { ...vocabularies, [ignored]: true }, true)
}
