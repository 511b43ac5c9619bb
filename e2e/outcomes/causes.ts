import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import type { TaskPlan } from '../main-job/tenant.ts'
import { breakBundle, dropBundle, killShim, type Scene, stopForks } from './harm.ts'

/** How a run is told to have ended: the columns of the table of outcomes (contract part 3, D4). */
export type End = Pick<
  RunDetail,
  'status' | 'error_code' | 'failure_stage' | 'failure_source' | 'exit_code'
> & { error_detail: RegExp }

export interface Cause {
  name: string
  workScript: string
  draft?: TaskPlan['draft']
  /** Files that the version brings along. */
  bundle?: boolean
  /** Done to the service before the run is submitted; what it answers undoes it. */
  before?: (scene: Scene) => Promise<(() => Promise<void>) | void>
  /** Done while the run runs. */
  during?: (scene: Scene, rid: string) => Promise<void>
  end: End
  /** What the job took of its sandbox: nothing where its program did not start. */
  measured: 'memory and time' | 'nothing'
  /** A part of the log. */
  log?: string
}

/** To an address of the documentation ranges: packets leave the sandbox, are counted there, and go no further. */
const callInVain = 'i=0; while [ $i -lt 100 ]; do nc -w 5 192.0.2.1 9 & i=$((i+1)); done; sleep 30'
/** Fewer than those packets have. */
export const egressCapBytes = 4096

const customer = (error_code: string, how: Partial<End>): End => ({
  status: 'customer_failed',
  error_code,
  error_detail: /^$/,
  failure_stage: 'work',
  failure_source: 'runner',
  exit_code: null,
  ...how,
})
const platform = (error_code: string, how: Partial<End>): End => ({
  ...customer(error_code, how),
  status: 'platform_failed',
})

const work = (name: string, workScript: string, end: End, rest: Partial<Cause> = {}): Cause => ({
  name,
  workScript,
  end,
  measured: 'memory and time',
  ...rest,
})
const neverStarted = (name: string, end: End, rest: Partial<Cause>): Cause => ({
  name,
  workScript: 'echo never',
  end,
  measured: 'nothing',
  ...rest,
})

export const causes: Cause[] = [
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
    'more memory than it has',
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
    'more files than it may have',
    'cd /tmp && seq 1 70000 | xargs touch',
    customer('disk_full', { error_detail: /^workspace$/, exit_code: 123 }),
    { log: 'No space left on device' },
  ),
  work(
    'more processes than it may have',
    'i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; wait',
    customer('pids_limit', { error_detail: /^refused=[1-9]/, exit_code: 2 }),
    { log: "can't fork" },
  ),
  work(
    'its deadline',
    'echo begun; sleep 60',
    customer('timeout', { error_detail: /^deadline$/, failure_stage: 'timeout' }),
    {
      draft: { timeout_seconds: 1 },
      log: 'begun\n',
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
    callInVain,
    customer('egress_cap_exceeded', {
      error_detail: /^sent_bytes=[1-9]/,
      failure_stage: 'egress_cap',
      failure_source: 'policy',
    }),
  ),
  neverStarted(
    'an environment that no shell can export',
    customer('env_invalid', { failure_stage: 'secret_env', failure_source: 'dispatch' }),
    { draft: { ordinary_env: { 'not a name': '1' }, secret_slot_declarations: ['TOKEN'] } },
  ),
  neverStarted(
    'a secret that nobody has set',
    customer('secret_missing', { failure_stage: 'secret_env', failure_source: 'dispatch' }),
    { draft: { secret_slot_declarations: ['TOKEN'] } },
  ),
  neverStarted(
    'a bundle that no rule of today accepts',
    customer('bundle_invalid', {
      error_detail: /^archive_format$/,
      failure_stage: 'task_bundle',
      failure_source: 'dispatch',
    }),
    { bundle: true, before: breakBundle },
  ),
  neverStarted(
    'a bundle that the store has lost',
    platform('storage_lost', { error_detail: /^bundle_missing$/, failure_stage: 'workspace' }),
    { bundle: true, before: dropBundle },
  ),
  neverStarted(
    'a runtime that cannot start',
    platform('runtime_start_failed', { error_detail: /^runtime$/, failure_stage: 'spawn' }),
    {
      before: stopForks,
    },
  ),
  work(
    'the death of its keeper',
    'echo begun; sleep 60',
    platform('host_lost', { error_detail: /^keeper$/, failure_stage: 'wait', failure_source: 'reconcile' }),
    { during: killShim, log: 'begun\n' },
  ),
]
