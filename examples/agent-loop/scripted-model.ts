import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatMessage } from './agent.ts'

/** The next move of the model: it calls a tool, or it answers. */
type Move = { call: string; parameters: unknown } | { say: string }

interface Result {
  status?: string
  kind?: string
  message?: string
  items?: { task_name: string; task_version_id: string }[]
  summary?: string
  proposal_receipt?: string
  run_id?: string
  run?: { status: string; terminal_at: string | null; id: string }
  output?: { text?: string }
}

/** In place of a model: decides by the last message, as a model would by its instructions and by `next_step`. */
function decide(messages: readonly ChatMessage[]): Move {
  const last = messages.at(-1)
  if (last?.role === 'user') {
    const receipt = lastReceipt(messages)
    if (receipt === undefined) return { call: 'sandbox_job_menu', parameters: {} }
    if (!/^yes\b/i.test(last.content ?? '')) return { say: 'Then I leave it.' }
    return { call: 'sandbox_submit_job', parameters: { mode: 'commit', proposal_receipt: receipt } }
  }
  const result = JSON.parse(last?.content ?? '{}') as Result
  if (result.status === 'error') return { say: `It was refused: ${result.message}` }
  if (result.items) {
    const job = result.items.find(({ task_name }) => task_name === 'send-invoice')
    if (!job) return { say: 'There is no such job in this room.' }
    const input = { customer: 'Example Ltd', amount: 12.5 }
    const { task_version_id } = job
    return { call: 'sandbox_submit_job', parameters: { mode: 'request', task_version_id, input } }
  }
  if (result.kind === 'prepared') return { say: `${result.summary}\n\nShall I run it?` }
  if (result.run_id !== undefined) return status(result.run_id)
  if (result.run?.terminal_at === null) return status(result.run.id)
  return { say: `The job is ${result.run?.status}. Its output: ${result.output?.text}` }
}

const status = (run_id: string): Move => ({ call: 'sandbox_job_status', parameters: { run_id } })

const lastReceipt = (messages: readonly ChatMessage[]): string | undefined =>
  messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (JSON.parse(content ?? '{}') as Result).proposal_receipt)
    .findLast((receipt) => receipt !== undefined)

/** A chat completions API on a free port of this machine, with the scripted model behind it. */
export async function startScriptedModel(): Promise<{ url: string; stop: () => void }> {
  let calls = 0
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request)) as { messages: ChatMessage[] }
    const move = decide(messages)
    // A model is slower than a program that asks for the status of a job again.
    await sleep(200)
    calls += 1
    const message =
      'say' in move
        ? { role: 'assistant', content: move.say }
        : {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: `call_${calls}`,
                type: 'function',
                function: { name: move.call, arguments: JSON.stringify(move.parameters) },
              },
            ],
          }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() }
}
