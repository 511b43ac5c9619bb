import { parentPort } from 'node:worker_threads'
import { answer } from './answer.ts'
import type { Question } from './verdict.ts'

/** The thread's side: one question at a time, one answer each. What is thrown here ends the thread. */
parentPort?.on('message', async (question: Question) => {
  parentPort?.postMessage(await answer(question))
})
parentPort?.postMessage('ready')
