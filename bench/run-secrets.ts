import { randomUUID } from 'node:crypto'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { compareJobs } from './harness/measure/compare-jobs.ts'
import type { Row } from './harness/measure/row.ts'
import { type BenchJob, makeJob, noOp, publishJob } from './harness/sandbox/bench-job.ts'
import { atService, type Setup } from './harness/service/service.ts'

const slots = ['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'FIFTH'].map((name) => `SECRET_${name}`)
/** A run with secrets may take this much of one without. */
const reach = { atMost: 1.15 }

/** Time that secrets add to a run; docs in bench/README.md. */
export const runSecrets: Benchmark = {
  name: 'run-secrets',
  about: 'submit to terminal of a run with five secrets, against the same without',
  run: (options) => {
    options.say('run-secrets: starting a service')
    return atService('/var/tmp/bench-run-secrets-', (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service }: Setup): Promise<Row[]> {
  options.say('run-secrets: building the job')
  const { baseUrl } = service
  const job = await makeJob(service, noOp)
  return compareJobs(
    {
      ...{ name: 'run-secrets', warmups: 25, reach, note: 'both in one service' },
      ours: { name: 'with five secrets', job: await withSecrets(job), baseUrl },
      peer: { name: 'without secrets', job, baseUrl },
    },
    options,
  )
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
