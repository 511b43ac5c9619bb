import { answer } from '@sandbox-jobs/contract/input-schema/answer.ts'
import { makeAllKeysPlain } from '@sandbox-jobs/contract/input-schema/plain-keys.ts'
import type { CheckAnswer, CheckQuestion } from './input-checker.ts'

/** The thread that checks inputs with the service's own validator. It may be killed at any moment. */
makeAllKeysPlain()
self.addEventListener('message', async ({ data }: MessageEvent<CheckQuestion>) => {
  const { id, schema, instance } = data
  const verdict = await answer({ schema, instance })
  self.postMessage({ id, verdict } satisfies CheckAnswer)
})
