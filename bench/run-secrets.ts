import { randomUUID } from 'node:crypto'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { RunTimer } from './harness/load/submit-and-wait.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { type BenchJob, makeJob, noOp, publishJob } from './harness/sandbox/bench-job.ts'
import { atService, type Setup } from './harness/service/service.ts'

const slots = ['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'FIFTH'].map((name) => `SECRET_${name}`)
const warmups = 25
const restMs = 40
const pollMs = 1
/** A run with secrets may take this much of one without. */
const reach = { atMost: 1.15 }
const secret = 'with five secrets'
const bare = 'without secrets'

/** Time that secrets add to a run; docs in bench/README.md. */
export const runSecrets: Benchmark = {
  name: 'run-secrets',
  about: 'submit to terminal of a run with five secrets, against the same without',
  run: (options) => {
    options.say('run-secrets: starting a service')
    return atService('/var/tmp/bench-run-secrets-', (setup) => measure(options, setup))
  },
}

async function measure({ rounds, say }: BenchOptions, { service }: Setup): Promise<Row[]> {
  say('run-secrets: building the job')
  const job = await makeJob(service, noOp)
  const { baseUrl } = service
  const sides = [timedRuns(secret, await withSecrets(job), baseUrl), timedRuns(bare, job, baseUrl)]
  try {
    const machine = machineNote()
    const onRound = (round: number) => round % 20 === 0 && say(`round ${round} of ${rounds}`)
    const samples = await interleaved(sides, { rounds, warmups, restMs, onRound })
    const measured = (name: string) => ({ samplesMs: samples.get(name) ?? [], cpuMs: null })
    return [
      rowOf({
        name: 'run-secrets',
        ours: measured(secret),
        peer: { name: `the same ${bare}`, measured: measured(bare), reach, notes: [] },
        floor: {},
        notes: [
          `both in one service; ends are detected by polling ${pollMs} ms after each response`,
          machine(),
        ],
      }),
    ]
  } finally {
    for (const { close } of sides) close()
  }
}

/** One run at a time. Does not poll before four fifths of the fastest run so far: no run has ended by then. */
function timedRuns(name: string, job: BenchJob, baseUrl: string): Subject & { close: () => void } {
  const timer = new RunTimer(job, { baseUrl, pollMs })
  let fastestMs = Number.POSITIVE_INFINITY
  const once = async () => {
    const { totalMs } = await timer.once(Number.isFinite(fastestMs) ? fastestMs * 0.8 : 0)
    fastestMs = Math.min(fastestMs, totalMs)
    return totalMs
  }
  return { name, once, close: () => timer.close() }
}

/** The same job with slots, whose values come from the room. It fails unless it has them all. */
async function withSecrets({ client, ...job }: BenchJob): Promise<BenchJob> {
  const version = await publishJob(client, {
    chatroomId: job.chatroomId,
    environmentVersionId: job.environmentVersionId,
    workScript: `[ ${slots.map((slot) => `-n "$${slot}"`).join(' -a ')} ]\n`,
    slots,
  })
  const consumer = {
    consumer_scope: 'chatroom',
    consumer_id: job.chatroomId,
    task_id: version.task_id,
  } as const
  const publicKey = await client.call(allRoutes.readPublicKey)
  for (const slot_name of slots)
    await client.call(allRoutes.createSecret, {
      body: { ...consumer, slot_name, encrypted_value: await encryptSecret(publicKey, randomUUID()) },
      idempotencyKey: randomUUID(),
    })
  await client.call(allRoutes.createSecretApproval, {
    body: {
      ...consumer,
      task_version_id: version.id,
      task_version_digest: version.canonical_digest,
      slot_names: slots,
      risk_accepted: true,
    },
  })
  return { ...job, client, taskVersionId: version.id }
}
