import { newId } from '../../../server/base/ids.ts'
import type { Database } from '../../../server/db/database.ts'
import type { BenchTenant } from '../service/tenants.ts'
import type { LoadRequest } from './load.ts'

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A call of a tool over MCP, by API key, as the SDK sends it. */
export function toolCall(
  { roomIds, apiKey }: BenchTenant,
  name: string,
  parameters: Record<string, unknown>,
  progressToken?: string,
): LoadRequest {
  const params = { name, arguments: parameters, _meta: { ...meta, ...(progressToken && { progressToken }) } }
  return {
    method: 'POST',
    path: `/mcp/chatrooms/${roomIds[0]}`,
    headers: {
      'x-api-key': apiKey,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

/** Has the rooms load the tools, with the task of each company on their menu. */
export async function offerTools(db: Database, tenants: readonly BenchTenant[]): Promise<void> {
  await db
    .updateTable('chatrooms')
    .set({ jobs: ['sandbox'] })
    .execute()
  const bindings = tenants.flatMap(({ companyId, roomIds, taskId, taskVersionId }) =>
    roomIds.map((roomId) => ({
      id: newId('binding'),
      company_id: companyId,
      chatroom_id: roomId,
      task_id: taskId,
      task_version_id: taskVersionId,
      generation: 1,
      share_generation: 1,
      target_authority_generation: 1,
      state: 'enabled' as const,
      accepted_at: new Date(),
    })),
  )
  await db.insertInto('bindings').values(bindings).execute()
}
