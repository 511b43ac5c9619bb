import type { CommandPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type { CommandOutputRequest } from '@sandbox-jobs/contract/resources/tables/output-callback.ts'
import type { CommandExecution } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { FoundCredential } from '../../custom-tables/callbacks/callback-credentials.ts'
import { inTableTransaction } from '../../custom-tables/catalogue/table-access.ts'
import { applyCommand } from '../../custom-tables/commands/apply-command.ts'
import { executionOf } from '../../custom-tables/commands/execute-command.ts'
import {
  type CommandTarget,
  commandTarget,
  isRestricted,
  lockCommandTarget,
  matchesCommand,
  mayCallCommand,
} from '../../custom-tables/policies/policy-target.ts'
import { storedPolicy } from '../../custom-tables/policies/stored-policy.ts'
import { acceptCallback, type CallbackDeps, performForRun } from './accept-callback.ts'
import type { CallbackRun } from './callback-run-store.ts'

/** There is one call of the command per run. */
const effectKey = 'command'

/** A run sends the inputs of the command of its policy (contract part 2, "Public routes"). */
export async function sendCommandOutput(
  deps: CallbackDeps,
  credential: FoundCredential,
  { inputs }: CommandOutputRequest,
): Promise<CommandExecution> {
  const { claim, run } = await acceptCallback(deps, credential)
  const policy = storedPolicy(run.output_policy)
  if (typeof policy === 'string' || policy.kind !== 'custom_table_command')
    throw new CodedError('output_run_unavailable')
  const found = await commandTarget(deps.db, run.company_id, policy)
  if (!found) throw new CodedError('output_command_stale')
  requireUnchanged(policy, found.command)
  await requirePeople(deps, run, { policy, command: found.command })
  return inTableTransaction(deps.db, found.table.id, async (trx) => {
    const locked = await lockCommandTarget(trx, found)
    if (!locked) throw new CodedError('output_command_stale')
    const { table, command } = locked
    requireUnchanged(policy, command)
    return performForRun(trx, claim, {
      key: effectKey,
      request: { inputs },
      conflict: 'output_command_conflict',
      perform: async () => {
        const row = await applyCommand(trx, {
          table,
          command,
          inputs,
          roomId: policy.chatroom_id,
          byRun: run.id,
        })
        return executionOf(command, row, deps.clock.now())
      },
    })
  })
}

function requireUnchanged(policy: CommandPolicy, command: CommandTarget['command']): void {
  if (!matchesCommand(policy, command)) throw new CodedError('output_command_stale')
  if (!isRestricted(command)) throw new CodedError('output_policy_author_denied')
}

async function requirePeople(
  { directory, findUser }: CallbackDeps,
  run: CallbackRun,
  { policy, command }: { policy: CommandPolicy; command: CommandTarget['command'] },
): Promise<void> {
  const ids = [run.author, run.publisher, run.principal_id]
  const people = await Promise.all(ids.map((id) => findUser(run.company_id, id)))
  for (const person of people)
    if (!(await mayCallCommand(directory, person, { command, roomId: policy.chatroom_id })))
      throw new CodedError('output_policy_author_denied')
}
