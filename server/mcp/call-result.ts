import type { ToolResult } from '../agent-tools/tool.ts'
import manifest from '../package.json' with { type: 'json' }

export const serverInfo = { name: 'sandbox-jobs', title: 'Sandbox Jobs', version: manifest.version }

/** The text is for clients that do not read structured results. */
export const rendered = (result: ToolResult) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(result) }],
  structuredContent: result,
  isError: result.status === 'error',
})
