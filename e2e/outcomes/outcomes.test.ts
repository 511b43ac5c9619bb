import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { failureHint } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnService, startService } from '../main-job/service.ts'
import { build, ended, logIn, logOf, publish, runWhen, submit, type Tenant } from '../main-job/tenant.ts'
import { egressCapBytes, type FailureScenario, failureScenarios } from './failure-scenarios.ts'

/* Every way in which a run can fail, on a whole service, with the error that clients see. */

let service: OwnService
let tenant: Tenant
let environmentVersion: string
let files: Buffer

beforeAll(async () => {
  service = await startService({
    SANDBOX_RUN_EGRESS_CAP_BYTES: String(egressCapBytes),
    // No warm sandboxes: one scenario prevents the start of new ones.
    SANDBOX_WARM_SANDBOXES: '0',
  })
  tenant = await logIn(service)
  const folder = await mkdtemp(join(tmpdir(), 'e2e-outcomes-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY note /note\n')
    await writeFile(join(folder, 'note'), 'the platform brings a shell\n')
    const { vid, attempt } = await build(tenant, folder)
    if (attempt.status !== 'completed') throw new Error(`the image is not built: ${JSON.stringify(attempt)}`)
    environmentVersion = vid
    const packed = await promisify(execFile)('tar', ['-czf', '-', '-C', folder, 'note'], {
      encoding: 'buffer',
    })
    files = packed.stdout
  } finally {
    await rm(folder, { recursive: true })
  }
})
afterAll(() => service?.stop())

test.each(failureScenarios)('a run with $name reports it', async (cause) => {
  const run = await runScenario(cause)
  const error_detail = expect.stringMatching(cause.end.error_detail)
  expect(run).toMatchObject({ ...cause.end, error_detail, wait_reason: '', next_action: '' })
  expect(run.failure_hint).toBe(failureHint(cause.end.error_code, run.error_detail))
  expect(run.failure_hint).not.toBe('')
  if (cause.log !== undefined) expect(await logOf(tenant, run.id)).toContain(cause.log)
  const params = { cid: tenant.room, rid: run.id }
  const usage = await tenant.client.call(allRoutes.readRunUsage, { params })
  if (cause.usage === 'nothing') {
    expect(usage).toMatchObject({ peak_memory_bytes: null, cpu_ms: null })
  } else {
    expect(usage.peak_memory_bytes).toBeGreaterThan(0)
    expect(usage.peak_memory_bytes).toBeLessThanOrEqual(usage.memory_limit_bytes)
    expect(usage.cpu_ms).toBeGreaterThan(0)
  }
})

async function runScenario({
  workScript,
  draft,
  bundle,
  before,
  during,
}: FailureScenario): Promise<RunDetail> {
  const version = await publish(tenant, {
    environmentVersion,
    workScript,
    ...(draft && { draft }),
    ...(bundle && { bundle: files }),
  })
  const scene = { service, version }
  const undo = await before?.(scene)
  try {
    const { id } = await submit(tenant, version, null)
    if (during) {
      await runWhen(tenant, id, (run) => run.status === 'running')
      await during(scene, id)
    }
    return await runWhen(tenant, id, ended)
  } finally {
    await undo?.()
  }
}
