import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import type { Principal } from '../../../access/principal.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import type {
  CallbackAccess,
  CallbackCredentials,
} from '../../../custom-tables/callbacks/callback-credentials.ts'
import {
  checkSubmittedPolicy,
  type OutputPolicyDeps,
} from '../../../custom-tables/policies/output-policies.ts'
import { storedPolicy } from '../../../custom-tables/policies/stored-policy.ts'
import type { ClaimedRun, JobRow } from '../../model/claimed-run.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import type { OutputsRow } from './outputs-statement.ts'

type OutputsJob = OutputsRow & Pick<JobRow, 'chatroom_id' | 'timeout_seconds'>

/** The access of a run with an output policy, or how it ends; undefined for a run without one. */
export interface RunOutputs {
  access(run: ClaimedRun, job: OutputsJob): Promise<CallbackAccess | RunOutcome | undefined>
}

/** A person who lost their authority since the run was queued does not get a credential (contract part 3, D9). */
export class PolicyOutputs implements RunOutputs {
  readonly #policies: OutputPolicyDeps
  readonly #credentials: CallbackCredentials

  constructor(policies: OutputPolicyDeps, credentials: CallbackCredentials) {
    this.#policies = policies
    this.#credentials = credentials
  }

  async access(run: ClaimedRun, job: OutputsJob): Promise<CallbackAccess | RunOutcome | undefined> {
    const policy = storedPolicy(job.output_policy)
    if (policy === 'none' || policy === 'unknown') return undefined
    try {
      await this.#check(run, job)
      return await this.#credentials.mint(run, {
        kind: policy.kind,
        timeoutSeconds: job.timeout_seconds,
      })
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return outcomeOfRefusal(error)
    }
  }

  async #check({ companyId }: ClaimedRun, job: OutputsJob): Promise<void> {
    const submitter = await this.#submitter(companyId, job)
    if (!submitter) throw new CodedError('writeback_authority_denied')
    const isAttended = job.submission_source !== 'custom_table_trigger'
    const run = { principal: submitter, chatroomId: job.chatroom_id, isAttended }
    const version = { policy: job.output_policy, author: job.author, publisher: job.publisher }
    await checkSubmittedPolicy(this.#policies, run, version)
  }

  async #submitter(companyId: string, job: OutputsJob): Promise<Principal | undefined> {
    return job.principal_type === 'user' ? this.#policies.findUser(companyId, job.principal_id) : undefined
  }
}

function outcomeOfRefusal({ code }: CodedError): RunOutcome {
  if (code === 'sandbox_writeback_key_unavailable')
    return failed('secrets_unavailable', { detail: 'callback_key' })
  return catalogue[code].status === 403
    ? failed('authority_revoked', { detail: 'output_policy' })
    : failed('version_not_runnable', { detail: code })
}
