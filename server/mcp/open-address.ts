import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { OpenedAddress, ToolCaller, ToolResult } from '../agent-tools/tool.ts'

/*
 * URL elicitation of the revision of 2026: the first answer to a call that proposes a job asks the client to open the page
 * of the proposal for its person, and the client repeats the call with the state of the first answer, the receipt. The
 * repeated call waits for the decision. Clients of earlier revisions do not say here whether they could, and get the
 * address in the result; so does a client in a turn, where the next message of the person confirms.
 */

const key = 'confirm'
const message = 'An agent asks to run a job for you. Log in on this page to see it, and to run or reject it.'

/** The address that the client was asked to open before, in a repeated call. */
export function openedIn({ mcpReq }: ServerContext): OpenedAddress | undefined {
  const receipt = mcpReq.requestState()
  if (typeof receipt !== 'string') return undefined
  const response = inputResponse(mcpReq.inputResponses, key)
  return { receipt, isOpened: response.kind === 'elicit' && response.action === 'accept' }
}

/** Asks the client to open the address of a new proposal, where it can and its person has to. */
export function openingOf(
  { kind, address, proposal_receipt: receipt }: ToolResult,
  { turn, opened }: ToolCaller,
  { mcpReq }: ServerContext,
): InputRequiredResult | undefined {
  if (kind !== 'prepared' || opened || (turn && !turn.byKey)) return undefined
  if (!opensAddresses(mcpReq.envelope)) return undefined
  return inputRequired({
    inputRequests: { [key]: inputRequired.elicitUrl({ message, url: String(address) }) },
    requestState: String(receipt),
  })
}

/** The client says with each request what it can. */
function opensAddresses(envelope: unknown): boolean {
  const capabilities = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
  return (capabilities as { elicitation?: { url?: unknown } } | undefined)?.elicitation?.url !== undefined
}
