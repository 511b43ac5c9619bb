import type { EnvironmentVersion, RunDetail } from './api.ts'
import { pause } from './retries.ts'
import { call, type Transport } from './send.ts'

export interface WaitOptions {
  /** Longest wait in milliseconds; without it, as long as it takes. */
  timeoutMs?: number
  signal?: AbortSignal
}

const longestRequestSeconds = 60
const versionPauseMs = 2000

/** States of a version that end by themselves. In all others it waits for a person. */
const underWay = ['build_queued', 'building', 'quarantined', 'verifying', 'verified', 'regional_provisioning']

/** The run when it has ended, whichever way. */
export const waitForEnd = (
  transport: Transport,
  params: { cid: string; rid: string },
  options: WaitOptions = {},
): Promise<RunDetail> =>
  until(options, async (leftMs) => {
    const seconds = Math.min(longestRequestSeconds, Math.ceil(leftMs / 1000))
    const parts = { params, query: { seconds }, ...(options.signal && { signal: options.signal }) }
    const run = (await call(transport, 'waitForRun', parts)) as RunDetail
    return run.terminal_at === null ? undefined : run
  })

/** The environment version when its build is over: `state` is `ready`, or says what went wrong. */
export const waitForVersion = (
  transport: Transport,
  params: { id: string; vid: string },
  options: WaitOptions = {},
): Promise<EnvironmentVersion> =>
  until(options, async (leftMs) => {
    const parts = { params, ...(options.signal && { signal: options.signal }) }
    const version = (await call(transport, 'readEnvironmentVersion', parts)) as EnvironmentVersion
    if (!underWay.includes(version.state)) return version
    await pause(Math.min(versionPauseMs, leftMs), options.signal)
    return undefined
  })

/** Throws an error named `TimeoutError` if there is nothing in time. */
async function until<Result>(
  { timeoutMs = Number.POSITIVE_INFINITY }: WaitOptions,
  look: (leftMs: number) => Promise<Result | undefined>,
): Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    const leftMs = startedAt + timeoutMs - performance.now()
    if (leftMs <= 0) throw new DOMException(`Not over after ${timeoutMs} ms.`, 'TimeoutError')
    const found = await look(leftMs)
    if (found !== undefined) return found
  }
}
