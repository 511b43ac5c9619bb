import type { AgentToolName, ToolAnnotations } from '@sandbox-jobs/contract/resources/agents/tool.ts'
import type { TSchema } from 'typebox'
import type { HumanTurn, Principal } from '../access/principal.ts'
import type { ProposalDeps } from '../agents/proposals/prepare-proposal.ts'
import type { ReadDeps, ShownRun } from '../runs/read/read-runs.ts'
import type { ObjectStorage } from '../storage/port.ts'

/** What the tools work with: the services that the REST routes use. */
export interface ToolDeps extends ProposalDeps {
  read: ReadDeps
  storage: ObjectStorage
  /** Where people reach the service, without a slash at the end. */
  baseUrl: string
}

/** Waits for runs, where a transport can: over plain HTTP no call waits (contract part 2, "Agent tools"). */
export interface RunWaiting {
  /** The run that `read` finds, at its end or after so many seconds. */
  untilEnd(read: () => Promise<ShownRun>, seconds: number): Promise<ShownRun>
}

/** Who calls a tool, out of band: no parameter carries identity. */
export interface ToolCaller {
  principal: Principal
  roomId: string
  /** Absent where a person's own client calls outside of any turn. */
  turn?: HumanTurn | undefined
  waiting?: RunWaiting | undefined
}

export type ToolResult = Record<string, unknown>

export interface Tool {
  name: AgentToolName
  /** For a model: what it does and when to call it. */
  description: string
  annotations: ToolAnnotations
  parameters: TSchema
  /** Success: the fields beside `status`. */
  result: TSchema
  /** Throws for every refusal; `tool-errors.ts` makes results of them. */
  call(deps: ToolDeps, caller: ToolCaller, parameters: unknown): Promise<ToolResult>
}

/** A tool with the type of its parameters, which are checked before the call. */
export const tool = <Parameters>(
  definition: Omit<Tool, 'call'> & {
    call(deps: ToolDeps, caller: ToolCaller, parameters: Parameters): Promise<ToolResult>
  },
): Tool => definition
