import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { TaskPlan } from '../main-job/tenant.ts'
import { corruptBundle, deleteBundle, type FaultTarget, forbidForks, killShim } from './inject-faults.ts'

/** Expected end of a run: the columns of the table of outcomes (contract part 3, D4). */
export type ExpectedEnd = Pick<
  RunDetail,
  'status' | 'error_code' | 'failure_stage' | 'failure_source' | 'exit_code'
> & { error_detail: RegExp }

export interface FailureScenario {
  name: string
  workScript: string
  draft?: TaskPlan['draft']
  /** Whether the version has a bundle of files. */
  bundle?: boolean
  /** Injects a fault before the run is submitted; the returned function reverts it. */
  before?: (scene: FaultTarget) => Promise<(() => Promise<void>) | void>
  /** Injects a fault while the run runs. */
  during?: (scene: FaultTarget, rid: string) => Promise<void>
  end: ExpectedEnd
  /** Reported usage: nothing if the program did not start. */
  usage: 'memory and time' | 'nothing'
  /** A part of the log. */
  log?: string
}

/** Sends to an address of the documentation ranges: packets leave the sandbox, are counted, and go no further. */
const sendUnanswered = 'i=0; while [ $i -lt 100 ]; do nc -w 5 192.0.2.1 9 & i=$((i+1)); done; sleep 30'
/** Fewer bytes than those packets have. */
export const egressCapBytes = 4096

const customer = (error_code: string, how: Partial<ExpectedEnd>): ExpectedEnd => ({
  status: 'customer_failed',
  error_code,
  error_detail: /^$/,
  failure_stage: 'work',
  failure_source: 'runner',
  exit_code: null,
  ...how,
})
const platform = (error_code: string, how: Partial<ExpectedEnd>): ExpectedEnd => ({
  ...customer(error_code, how),
  status: 'platform_failed',
})

const work = (
  name: string,
  workScript: string,
  end: ExpectedEnd,
  rest: Partial<FailureScenario> = {},
): FailureScenario => ({
  name,
  workScript,
  end,
  usage: 'memory and time',
  ...rest,
})
const neverStarted = (name: string, end: ExpectedEnd, rest: Partial<FailureScenario>): FailureScenario => ({
  name,
  workScript: 'echo never',
  end,
  usage: 'nothing',
  ...rest,
})

export const failureScenarios: FailureScenario[] = [
  work(
    'exit code 3',
    'echo no; exit 3',
    customer('work_exit_nonzero', { error_detail: /^exit_code=3$/, exit_code: 3 }),
    {
      log: 'no\n',
    },
  ),
  work(
    'death by a signal',
    'kill -SEGV $$',
    customer('work_exit_nonzero', { error_detail: /^signal=11;log_empty$/, exit_code: 139 }),
  ),
  work(
    'more memory than its limit',
    'dd if=/dev/zero of=/dev/null bs=1500M',
    customer('out_of_memory', { error_detail: /^kills=[1-9]/ }),
  ),
  work(
    'a full workspace',
    'dd if=/dev/zero of=/workspace/big bs=1M',
    customer('disk_full', { error_detail: /^workspace$/, exit_code: 1 }),
    { log: 'No space left on device' },
  ),
  work(
    'more files than its limit',
    'cd /tmp && seq 1 70000 | xargs touch',
    customer('disk_full', { error_detail: /^workspace$/, exit_code: 123 }),
    { log: 'No space left on device' },
  ),
  work(
    'more processes than its limit',
    'i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; wait',
    customer('pids_limit', { error_detail: /^refused=[1-9]/, exit_code: 2 }),
    { log: "can't fork" },
  ),
  work(
    'its deadline',
    'echo started; sleep 60',
    customer('timeout', { error_detail: /^deadline$/, failure_stage: 'timeout' }),
    {
      draft: { timeout_seconds: 1 },
      log: 'started\n',
    },
  ),
  work(
    'an output over its bound',
    'dd if=/dev/zero of="$SERVICE_OUTPUT_FILE" bs=1M count=17',
    customer('output_too_large', { error_detail: /^bytes=17825792$/, failure_stage: 'output', exit_code: 0 }),
  ),
  work(
    'an output that is a link',
    'ln -s /etc/passwd "$SERVICE_OUTPUT_FILE"',
    customer('output_invalid', { error_detail: /^not_regular$/, failure_stage: 'output', exit_code: 0 }),
  ),
  work(
    'more traffic than its cap',
    sendUnanswered,
    customer('egress_cap_exceeded', {
      error_detail: /^sent_bytes=[1-9]/,
      failure_stage: 'egress_cap',
      failure_source: 'policy',
    }),
  ),
  neverStarted(
    'an invalid environment variable name',
    customer('env_invalid', { failure_stage: 'secret_env', failure_source: 'dispatch' }),
    { draft: { ordinary_env: { 'not a name': '1' }, secret_slot_declarations: ['TOKEN'] } },
  ),
  neverStarted(
    'a secret that is not set',
    customer('secret_missing', {
      error_detail: /^borrower:TOKEN$/,
      failure_stage: 'secret_env',
      failure_source: 'dispatch',
    }),
    { draft: { secret_slot_declarations: ['TOKEN'] } },
  ),
  neverStarted(
    'a bundle that the present rules refuse',
    customer('bundle_invalid', {
      error_detail: /^archive_format$/,
      failure_stage: 'task_bundle',
      failure_source: 'dispatch',
    }),
    { bundle: true, before: corruptBundle },
  ),
  neverStarted(
    'a bundle that the store has lost',
    platform('storage_lost', { error_detail: /^bundle_missing$/, failure_stage: 'workspace' }),
    { bundle: true, before: deleteBundle },
  ),
  neverStarted(
    'a runtime that cannot start',
    platform('runtime_start_failed', { error_detail: /^launch_namespaces$/, failure_stage: 'spawn' }),
    {
      before: forbidForks,
    },
  ),
  work(
    'the death of its shim',
    'echo started; sleep 60',
    platform('host_lost', { error_detail: /^keeper$/, failure_stage: 'wait', failure_source: 'reconcile' }),
    { during: killShim, log: 'started\n' },
  ),
]
