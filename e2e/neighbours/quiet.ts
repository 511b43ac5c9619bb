import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { OwnService } from '../main-job/service.ts'
import { build, logIn, submit, type Tenant } from '../main-job/tenant.ts'
import { probe } from './probe.ts'

/** Measurements of the quiet company during a phase. */
export interface Phase {
  /** Milliseconds from a submission to its result, as a client that polls sees it. */
  resultMs: number[]
  loginMs: number[]
  buildMs: number[]
  /** Milliseconds until new clients get an answer, asked at a fixed rate. */
  healthMs: number[]
  failures: string[]
}

const pollMs = 5
const betweenRunsMs = 50
const betweenLoginsMs = 2000
const resultLimitMs = 60_000
/** A phase that gets no more runs to their end than this many seconds allow has failed. */
const phaseLimitMs = 240_000

export interface QuietCompany {
  tenant: Tenant
  version: string
}

/** Minimum length of a phase: a percentile of few samples is the slowest of them. */
export interface PhaseLength {
  seconds: number
  runs: number
}

/**
 * Runs one job after another, logs in periodically, builds one image and probes the service, until both the time has passed
 * and the number of runs is reached.
 */
export async function runWorkload(
  service: OwnService,
  quiet: QuietCompany,
  { seconds, runs: runsMin }: PhaseLength,
): Promise<Phase> {
  const phase: Phase = { resultMs: [], loginMs: [], buildMs: [], healthMs: [], failures: [] }
  const startedMs = performance.now()
  const isOver = () => {
    const passedMs = performance.now() - startedMs
    return (passedMs >= seconds * 1000 && phase.resultMs.length >= runsMin) || passedMs >= phaseLimitMs
  }
  const timed = async (what: string, times: number[], work: () => Promise<void>) => {
    const started = performance.now()
    try {
      await work()
      times.push(performance.now() - started)
    } catch (error) {
      phase.failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const runs = async () => {
    while (!isOver()) {
      await timed('run', phase.resultMs, () => runOnce(quiet))
      await sleep(betweenRunsMs)
    }
  }
  const logins = async () => {
    while (!isOver()) {
      await timed('login', phase.loginMs, async () => void (await logIn(service)))
      await sleep(betweenLoginsMs)
    }
  }
  const isDone = new AbortController()
  const probing = probe(service.url, isDone.signal)
  await Promise.all([runs(), logins(), timed('build', phase.buildMs, () => buildOnce(quiet.tenant))])
  isDone.abort()
  const probes = await probing
  phase.healthMs = probes.answeredMs
  phase.failures.push(...probes.failures)
  if (phase.resultMs.length < runsMin)
    phase.failures.push(`fewer than ${runsMin} results in the longest phase`)
  return phase
}

async function runOnce({ tenant, version }: QuietCompany): Promise<void> {
  const { client, room } = tenant
  const { id } = await submit(tenant, version, { nonce: randomUUID() })
  const limit = performance.now() + resultLimitMs
  for (;;) {
    const run = await client.call(allRoutes.readRun, { params: { cid: room, rid: id } })
    if (run.status === 'completed') return
    if (run.terminal_at !== null) throw new Error(`${run.status} ${run.error_code} ${run.error_detail}`)
    if (performance.now() > limit) throw new Error(`no result within ${resultLimitMs} ms: ${run.status}`)
    await sleep(pollMs)
  }
}

async function buildOnce(tenant: Tenant): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'neighbours-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY note /note\n')
    await writeFile(join(folder, 'note'), randomUUID())
    const { attempt } = await build(tenant, folder)
    if (attempt.status !== 'completed') throw new Error(`${attempt.status} ${attempt.error_code}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}
