import { request, type Turn } from './platform.ts'

/** A message in the shape of the chat completions API that most models offer. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** More calls than a turn needs. */
const stepsMax = 20
/** Characters of parameters: a receipt is long. */
const shownMax = 120

/**
 * Lets the model act in one turn: it gets the conversation and the tools, each call that it makes is executed in the turn, and
 * its text ends the turn. The conversation grows by all of it.
 */
export async function act(modelUrl: string, turn: Turn, conversation: ChatMessage[]): Promise<string> {
  const tools = (await turn.tools()).map(({ name, description, input_schema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  for (let step = 0; step < stepsMax; step += 1) {
    const { choices } = await request<{ choices: { message: ChatMessage }[] }>(
      `${modelUrl}/v1/chat/completions`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'scripted', messages: conversation, tools }),
      },
    )
    const message = choices[0]?.message
    if (!message) throw new Error('the model gave no choice')
    conversation.push(message)
    if (!message.tool_calls) return message.content ?? ''
    for (const { id, function: called } of message.tool_calls) {
      console.log(`  calls ${called.name} ${called.arguments.slice(0, shownMax)}`)
      const result = await turn.call(called.name, JSON.parse(called.arguments))
      conversation.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(result) })
    }
  }
  throw new Error(`the model made ${stepsMax} steps without an answer`)
}
