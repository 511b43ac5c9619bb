import { type AgentToolErrorCode, agentToolErrors } from '@sandbox-jobs/contract/errors/agent-tool-errors.ts'

/** An expected failure of an agent's call, by its code. `detail` never holds text of a tenant. */
export class AgentError extends Error {
  readonly code: AgentToolErrorCode

  constructor(code: AgentToolErrorCode, detail = '') {
    super(detail === '' ? agentToolErrors[code] : `${agentToolErrors[code]} ${detail}`)
    this.name = 'AgentError'
    this.code = code
  }
}
