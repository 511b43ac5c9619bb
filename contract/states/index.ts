import { agentProposalMachine } from './agent-proposal-states.ts'
import { buildAttemptMachine } from './build-attempt-states.ts'
import { environmentMachine, taskMachine, taskVersionMachine } from './catalog-states.ts'
import { customTableMachine, tableCommandMachine, tableTriggerMachine } from './custom-table-states.ts'
import { environmentVersionMachine } from './environment-version-states.ts'
import { exceptionMachine, findingMachine } from './finding-states.ts'
import { bindingMachine, shareGrantMachine } from './grant-states.ts'
import { runMachine } from './run-states.ts'
import { secretApprovalMachine, secretBindingMachine, secretOperationMachine } from './secret-states.ts'
import type { StateMachine } from './state-machine.ts'
import { uploadSessionMachine } from './upload-session-states.ts'

/** Every life cycle, in the order in which a tenant meets them. */
export const stateMachines: readonly StateMachine[] = [
  environmentMachine,
  uploadSessionMachine,
  environmentVersionMachine,
  buildAttemptMachine,
  findingMachine,
  exceptionMachine,
  taskMachine,
  taskVersionMachine,
  shareGrantMachine,
  bindingMachine,
  secretBindingMachine,
  secretOperationMachine,
  secretApprovalMachine,
  customTableMachine,
  tableCommandMachine,
  tableTriggerMachine,
  runMachine,
  agentProposalMachine,
]
