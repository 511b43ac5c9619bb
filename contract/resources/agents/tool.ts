import { type Static, Type } from 'typebox'
import { listOf } from '../../pagination.ts'

export const agentToolNames = [
  'sandbox_job_menu',
  'sandbox_submit_job',
  'sandbox_submitted_jobs',
  'sandbox_job_status',
  'sandbox_cancel_job',
] as const
export type AgentToolName = (typeof agentToolNames)[number]

/** Hints for clients, as the Model Context Protocol names them. */
export const ToolAnnotations = Type.Object({
  title: Type.String(),
  readOnlyHint: Type.Boolean(),
  destructiveHint: Type.Boolean(),
  idempotentHint: Type.Boolean(),
  openWorldHint: Type.Boolean(),
})
export type ToolAnnotations = Static<typeof ToolAnnotations>

/** A JSON Schema, which this service writes. */
const Schema = Type.Record(Type.String(), Type.Unknown())

export const AgentTool = Type.Object({
  name: Type.Enum(agentToolNames, { type: 'string' }),
  description: Type.String(),
  input_schema: Schema,
  output_schema: Schema,
  annotations: ToolAnnotations,
})
export type AgentTool = Static<typeof AgentTool>

/** The tools that the room of the turn loads: all five or none. */
export const AgentToolList = listOf(AgentTool)
export type AgentToolList = Static<typeof AgentToolList>

/** Any JSON object: each tool checks its own parameters and answers `validation_error`. */
export const AgentToolParameters = Type.Record(Type.String(), Type.Unknown())

export const AgentToolResult = Type.Object(
  {
    status: Type.Enum(['ok', 'error'], { type: 'string' }),
    error: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)
export type AgentToolResult = Static<typeof AgentToolResult>
