import { type Static, Type } from 'typebox'
import { about, withExample } from '../../about.ts'
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
  title: about('Name for people.', Type.String(), 'List jobs'),
  readOnlyHint: about('The tool changes nothing.', Type.Boolean(), true),
  destructiveHint: about('The tool may change something for good.', Type.Boolean(), false),
  idempotentHint: about('A repeated call has no further effect.', Type.Boolean(), true),
  openWorldHint: about('The tool reaches what is outside of the service.', Type.Boolean(), false),
})
export type ToolAnnotations = Static<typeof ToolAnnotations>

/** A JSON Schema, which this service writes. */
const Schema = Type.Record(Type.String(), Type.Unknown())

export const AgentTool = Type.Object({
  name: about('Name of the tool, which is part of its path.', Type.Enum(agentToolNames, { type: 'string' })),
  description: about(
    'Purpose of the tool, for the model.',
    Type.String(),
    'List the jobs that can be run in this chat.',
  ),
  input_schema: about('JSON Schema of the parameters.', Schema, {
    type: 'object',
    properties: {},
    additionalProperties: false,
  }),
  output_schema: about('JSON Schema of the result.', Schema, { type: 'object' }),
  annotations: about('Hints for clients, as the Model Context Protocol names them.', ToolAnnotations),
})
export type AgentTool = Static<typeof AgentTool>

/** The tools that the room of the turn loads: all five or none. */
export const AgentToolList = listOf(AgentTool)
export type AgentToolList = Static<typeof AgentToolList>

/** Any JSON object: each tool checks its own parameters and answers `validation_error`. */
export const AgentToolParameters = withExample(Type.Record(Type.String(), Type.Unknown()), { page_size: 20 })

export const AgentToolResult = Type.Object(
  {
    status: about(
      'Whether the tool did what it was asked to; a refusal is an `error`.',
      Type.Enum(['ok', 'error'], { type: 'string' }),
    ),
    error: about('Code of the refusal; only with `error`.', Type.Optional(Type.String()), 'not_found'),
    message: about(
      'The problem, for the model; only with `error`.',
      Type.Optional(Type.String()),
      'There is no such job in this chat.',
    ),
  },
  { additionalProperties: true },
)
export type AgentToolResult = Static<typeof AgentToolResult>
