import type { AgentTool, AgentToolName } from '@sandbox-jobs/contract/resources/agents/tool.ts'
import { Type } from 'typebox'
import type { Log } from '../base/logging.ts'
import { loadsAgentTools } from '../companies/chatrooms/chatroom-jobs.ts'
import { type Validate, validatorOf } from '../http/requests/validation.ts'
import { cancelJob } from './cancel-job.ts'
import { jobMenu } from './job-menu.ts'
import { jobStatus } from './job-status.ts'
import { submitJob } from './submit-job.ts'
import { submittedJobs } from './submitted-jobs.ts'
import type { Tool, ToolCaller, ToolDeps, ToolResult } from './tool.ts'
import { errorResult, isFault } from './tool-errors.ts'

/** The five tools, as they are listed. */
const allTools: readonly Tool[] = [jobMenu, submitJob, submittedJobs, jobStatus, cancelJob]

const validators = new Map<AgentToolName, Validate>(
  allTools.map(({ name, parameters }) => [name, validatorOf('body', parameters)]),
)

const ErrorResult = Type.Object({
  status: Type.Literal('error'),
  error: Type.String(),
  message: Type.String(),
})

/** The tool as a client is shown it. */
export const describeTool = ({ name, description, annotations, parameters, result }: Tool): AgentTool => ({
  name,
  description,
  annotations,
  input_schema: { ...parameters },
  output_schema: {
    ...Type.Object(
      { status: Type.Enum(['ok', 'error'], { type: 'string' }) },
      { additionalProperties: true, anyOf: [result, ErrorResult] },
    ),
  },
})

/** All five where the room's jobs setting names them, else none (contract part 2, "Agent tools"). */
export async function toolsOf(
  { db }: Pick<ToolDeps, 'db'>,
  { principal, roomId, loadsTools }: ToolCaller,
): Promise<readonly Tool[]> {
  const room = { companyId: principal.companyId, id: roomId }
  return (loadsTools ?? (await loadsAgentTools(db, room))) ? allTools : []
}

/** The result of a call; undefined if the room does not load such a tool. */
export async function callTool(
  deps: ToolDeps & { log: Log },
  caller: ToolCaller,
  { name, parameters }: { name: string; parameters: unknown },
): Promise<ToolResult | undefined> {
  const found = (await toolsOf(deps, caller)).find((each) => each.name === name)
  if (!found) return undefined
  try {
    validators.get(found.name)?.(parameters)
    return { status: 'ok', ...(await found.call(deps, caller, parameters)) }
  } catch (error) {
    if (isFault(error)) deps.log.error({ err: error, tool: found.name }, 'a tool call failed')
    return errorResult(error)
  }
}
