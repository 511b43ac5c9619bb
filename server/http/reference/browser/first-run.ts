import { operations } from './api-document.ts'
import { caller } from './caller.ts'
import { sampleTabs } from './sample-tabs.ts'
import type { Filled } from './samples.ts'
import { newKey } from './try-it.ts'

const none: Filled = { path: {}, query: {}, headers: {}, body: undefined }

/** The first requests of the page with the key, the room and the task of whoever is at it. */
const requests: Record<string, () => Filled> = {
  listOwnChatrooms: () => none,
  readMenu: () => ({ ...none, path: room() }),
  runAndWait: () => ({ ...none, path: room(), headers: { 'Idempotency-Key': key }, body: body() }),
}

const key = newKey()
const room = () => ({ cid: caller.room || 'ROOM' })

function body(): string {
  const { task_version_id = 'TASK_VERSION', input_example = '' } = caller.task ?? {}
  return JSON.stringify({ task_version_id, input: jsonOf(input_example) }, null, 2)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Replaces the samples that the page brings. */
export async function mountFirstRun(): Promise<void> {
  const all = await operations()
  for (const element of document.querySelectorAll<HTMLElement>('[data-start]')) {
    const name = element.dataset.start ?? ''
    const [operation, filled] = [all.get(name), requests[name]]
    if (operation && filled) element.replaceChildren(sampleTabs(operation, filled).view)
  }
}
