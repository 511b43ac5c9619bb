import type { AgentToolName, ToolAnnotations } from '@sandbox-jobs/contract/resources/agents/tool.ts'
import type { TSchema } from 'typebox'
import type { HumanTurn, Principal } from '../access/principal.ts'
import type { ProposalDeps } from '../agents/proposals/prepare-proposal.ts'
import type { RunServices } from '../runs/run-services.ts'
import type { ObjectStorage } from '../storage/port.ts'

/** The dependencies of the tools: the services that the REST routes use. */
export interface ToolDeps extends ProposalDeps {
  read: Pick<RunServices, 'db' | 'directory' | 'runs' | 'policy' | 'pages'>
  storage: ObjectStorage
  /** Where people reach the service, without a slash at the end. */
  baseUrl: string
}

/** The thing that a call can wait for: a run or a proposal. */
export interface Waited {
  id: string
  company_id: string
  state: string
  hasEnded: boolean
  /** A sentence for a client that wants to know how it goes. */
  progress: string
}

/** Waits, where a transport can: over plain HTTP no call waits (contract part 2, "Agent tools"). */
export interface ToolWaiting {
  /** The result of `read`, at its end or after so many seconds. */
  untilEnd<Subject extends Waited>(read: () => Promise<Subject>, seconds: number): Promise<Subject>
}

/** The address of a proposal that the client was asked to open for its person. */
export interface OpenedAddress {
  /** Names the proposal. */
  receipt: string
  /** False: the person did not want to. */
  isOpened: boolean
}

/** The caller of a tool, out of band: no parameter carries identity. */
export interface ToolCaller {
  principal: Principal
  roomId: string
  /** Whether the room loads the tools, where the transport has read it. */
  loadsTools?: boolean
  /** Absent where a person's own client calls outside of any turn. */
  turn?: HumanTurn | undefined
  waiting?: ToolWaiting | undefined
  /** Set where the call goes on after its client was asked to open the address of its proposal. */
  opened?: OpenedAddress | undefined
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
