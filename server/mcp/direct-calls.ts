import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ToolCaller, ToolResult } from '../agent-tools/tool.ts'
import { callTool } from '../agent-tools/tools.ts'
import { RecentMap } from '../base/recent-map.ts'
import { serverInfo } from './call-result.ts'
import { untilHangUp } from './exchange.ts'
import type { McpServices } from './mcp-server.ts'

/*
 * Most requests are calls of tools by clients that have called before, and the SDK spends several times what a tool costs on
 * making a server for each. It checks the envelope of a request (revision, client, capabilities, headers), which is the same
 * for all calls of a client. So the SDK answers the first call with an envelope, and later ones with the very same envelope are
 * answered here, as the SDK would (`direct-calls.test.ts` compares them). A call that needs more of the protocol, progress, a
 * request to the client or a session, always goes to the SDK.
 */

const envelopesKept = 256
const envelopeMaxLength = 2048
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

/** A call that could be answered without the SDK. */
export interface DirectCall {
  id: string | number
  name: string
  parameters: Record<string, unknown>
  /** The part of it that the SDK checks, as text. */
  envelope: string
}

/** Envelopes that the SDK has accepted. */
export type AcceptedEnvelopes = RecentMap<true>
export const acceptedEnvelopes = (): AcceptedEnvelopes => new RecentMap(envelopesKept)

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id)

/** Undefined for all that is not a plain call of the revision of 2026. */
export function directCallOf({ body, headers }: FastifyRequest): DirectCall | undefined {
  if (!isJsonObject(body)) return undefined
  const { jsonrpc, id, method, params, ...others } = body
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id) || !isJsonObject(params)) return undefined
  const { name, arguments: parameters = {}, _meta: meta, ...more } = params
  if (Object.keys(others).length + Object.keys(more).length > 0) return undefined
  if (typeof name !== 'string' || name !== headers['mcp-name'] || headers['mcp-session-id'] !== undefined)
    return undefined
  if (!isJsonObject(parameters) || !isJsonObject(meta) || meta.progressToken !== undefined) return undefined
  const capabilities = meta[capabilitiesKey]
  // A client that opens addresses may be asked to.
  if (!isJsonObject(capabilities) || capabilities.elicitation !== undefined) return undefined
  const { accept, 'content-type': type, 'mcp-protocol-version': version, 'mcp-method': called } = headers
  const envelope = JSON.stringify([accept, type, version, called, meta])
  return envelope.length > envelopeMaxLength ? undefined : { id, name, parameters, envelope }
}

/** Calls the tool; the body of the answer, or undefined if there is no such tool, which the SDK answers. */
export async function answerOfDirect(
  services: McpServices,
  { caller, call, reply }: { caller: ToolCaller; call: DirectCall; reply: FastifyReply },
): Promise<string | undefined> {
  const waiting = services.waits.of(caller, { signal: untilHangUp(reply), report: async () => {} })
  const result = await callTool(services, { ...caller, waiting }, call)
  if (!result) return undefined
  return textOf(call.id, result)
}

const constantFields = JSON.stringify({
  resultType: 'complete',
  _meta: { [serverInfoKey]: serverInfo },
}).slice(1)

/** The answer with what `rendered` makes of a result, which is encoded once although the answer has it twice. */
function textOf(id: string | number, result: ToolResult): string {
  const text = JSON.stringify(result)
  const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`
  const fields = `${content},"isError":${result.status === 'error'},${constantFields}`
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${fields}}`
}
