import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { may, ownedBy } from '../../access/allow.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid, ValidationError } from '../../base/errors/validation-error.ts'
import { stageInput } from '../../base/json/staged-input.ts'
import type { RequireTarget } from '../../custom-tables/table-context.ts'
import { renderTemplate } from '../../custom-tables/triggers/input-template.ts'
import { declarationOf, type WaitingEvent } from '../../custom-tables/triggers/row-events.ts'
import type { NewRun } from '../submit/locked-queues.ts'
import { requireUnattended } from '../submit/startable.ts'
import { checkOutputs, planRun, type SubmitDeps } from '../submit/submit-run.ts'

const unattended = 'custom_table_trigger_needs_confirmation'

/** An event that starts no run; `code` says why. */
export class EventRefused extends Error {
  readonly code: string

  constructor(code: string) {
    super(`a row event was refused: ${code}`)
    this.name = 'EventRefused'
    this.code = code
  }
}

/**
 * The run of an event, with the authority that whoever declared the trigger has now: they manage the table and may submit the
 * version. Throws `EventRefused`, or a `CodedError` while the platform cannot plan it.
 */
export async function planTriggeredRun(deps: SubmitDeps, event: WaitingEvent): Promise<NewRun> {
  const { trigger, table } = await declarationOf(deps.db, event)
  if (trigger.state !== 'active' || table.state !== 'active') throw new EventRefused('custom_table_archived')
  const principal = await deps.outputs.findUser(event.company_id, trigger.run_as)
  if (!principal || !may(principal, 'table.change', ownedBy(table)))
    throw new EventRefused('authority_revoked')
  const submission = {
    principal,
    chatroomId: trigger.chatroom_id,
    body: {
      task_version_id: trigger.task_version_id,
      ...(trigger.timeout_seconds !== null && { timeout_seconds: trigger.timeout_seconds }),
    },
    source: 'custom_table_trigger',
    unattended,
  } as const
  try {
    return await planRun(deps, submission, stageInput(inputOf(trigger.input_template, table.id, event)))
  } catch (error) {
    throw refusalOf(error)
  }
}

const inputOf = (template: unknown, table_id: string, { event, values, ...row }: WaitingEvent): unknown =>
  renderTemplate(template, {
    event,
    table_id,
    row_id: row.row_id,
    row_version: row.row_version,
    values,
  })

/** The error as the refusal of an event; what may pass is left as it is. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof ValidationError) return new EventRefused('trigger_input_invalid')
  if (!(error instanceof CodedError) || mayPass(error)) return error
  // The person who declared the trigger is no longer in the room, or the task is no longer shared with it.
  return new EventRefused(error.code === 'not_found' ? 'authority_revoked' : error.code)
}

/** A full queue, or a part of the platform that is not available. */
export const mayPass = (error: CodedError): boolean => [429, 503].includes(catalogue[error.code].status)

/**
 * Throws unless the principal may start runs of the version in the chatroom by a trigger: a validation error where they may
 * not submit runs of it there, and what refuses each such submission. It is checked again for each run.
 */
export const requireTarget =
  (deps: Pick<SubmitDeps, 'runnables' | 'outputs'>): RequireTarget =>
  async (principal, { chatroom_id: chatroomId, task_version_id: versionId }) => {
    try {
      const resolve = await deps.runnables.resolveFor(principal, chatroomId, versionId)
      const version = resolve()
      requireUnattended(version, unattended)
      await checkOutputs(deps, { principal, chatroomId, isAttended: false }, version)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'not_found')) throw error
      const words = 'must name a version that you may run in that chatroom'
      throw invalid(['body', 'task_version_id'], 'not_found', words)
    }
  }
