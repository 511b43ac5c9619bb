import { parentPort } from 'node:worker_threads'
import { answer } from './answer.ts'
import { makeAllKeysPlain } from './plain-keys.ts'
import { ownThread } from './thread-time.ts'
import type { Question } from './verdict.ts'

/** The thread's side: its name, then one answer to each question, one at a time. What is thrown here ends the thread. */
makeAllKeysPlain()
parentPort?.on('message', async (question: Question) => {
  parentPort?.postMessage(await answer(question))
})
parentPort?.postMessage(ownThread())
