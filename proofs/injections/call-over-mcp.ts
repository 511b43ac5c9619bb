import type { AgentApp, ToolAnswer } from '../../testing/apps/agent-app.ts'

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'injections', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The structured result of a tool over MCP. */
export async function callOverMcp(
  { app }: AgentApp,
  { path, headers }: { path: string; headers: Record<string, string> },
  { tool, parameters }: { tool: string; parameters: object },
): Promise<ToolAnswer> {
  const params = { name: tool, arguments: parameters, _meta: meta }
  const answer = await app.inject({
    method: 'POST',
    url: path,
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = answer.json() as { result?: { structuredContent: ToolAnswer } }
  if (!result) throw new Error(`${tool} over MCP: ${answer.statusCode} ${answer.body.slice(0, 200)}`)
  return result.structuredContent
}
