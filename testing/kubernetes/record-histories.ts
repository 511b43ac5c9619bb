import { createHash } from 'node:crypto'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { lostExit } from '../../kubernetes/records/pod-exit.ts'
import type { Redemption, SandboxRecords } from '../../kubernetes/records/sandbox-records.ts'
import { clusterJob } from './cluster-job.ts'

const redemption = (podUid: string, process: string): Redemption => ({
  podUid,
  credentialHash: createHash('sha256').update(process).digest(),
  validMs: 60_000,
})
const first = redemption('pod-1', 'a process')
const exitOf = (spec: SandboxSpec, detail: string) => lostExit(spec, detail, new Date(0))

/** Everything that can happen to an id, by anybody, at any time; each may also be a repetition whose answer was lost. */
const happenings = {
  place: (records, spec) => records.place(spec),
  redeem: (records, { id }) => records.redeem(id, first),
  'redeem by a container that was started again': (records, { id }) =>
    records.redeem(id, redemption('pod-1', 'another process')),
  'redeem by another pod': (records, { id }) => records.redeem(id, redemption('pod-2', 'a process')),
  forbid: (records, { id }) => records.forbid(id),
  exit: (records, spec) => records.exit(spec.id, exitOf(spec, 'own'), first.credentialHash),
  'lost, as an observer says': (records, spec) => records.exit(spec.id, exitOf(spec, 'observed')),
  stop: (records, { id }) => records.stop(id, 1),
  remove: (records, { id }) => records.remove(id),
} satisfies Record<string, (records: SandboxRecords, spec: SandboxSpec) => Promise<unknown>>
export type Happening = keyof typeof happenings
const names = Object.keys(happenings) as Happening[]

/** The shortest way through every state. */
export const coreNames: readonly Happening[] = ['place', 'redeem', 'forbid', 'exit', 'remove']

/** Every order of so many happenings, the same one more than once too. */
export const histories = (length: number, of: readonly Happening[] = names): Happening[][] =>
  length === 0 ? [[]] : histories(length - 1, of).flatMap((before) => of.map((name) => [...before, name]))

const redeems = names.filter((name) => name.startsWith('redeem'))

/** The answers of all happenings, and the state at the end. Throws where something happened that must never happen. */
export async function play(
  records: SandboxRecords,
  { id, history }: { id: string; history: readonly Happening[] },
): Promise<unknown[]> {
  const spec = { ...clusterJob(id), claimedAt: new Date().toISOString() }
  const answers: unknown[] = []
  const started = new Set<Happening>()
  let isForbidden = false
  for (const name of history) {
    const answer = await happenings[name](records, spec)
    answers.push(answer)
    if (redeems.includes(name) && answer === 'redeemed') started.add(name)
    if (name === 'forbid' && answer === true) isForbidden = true
    if (isForbidden && started.size > 0) throw new Error(`${history.join(', ')}: both forbidden and started`)
  }
  if (started.size > 1) throw new Error(`${history.join(', ')}: started by more than one process`)
  const { state, stop, exit } = (await records.find(id)) ?? {}
  if (isForbidden && state !== 'forbidden') throw new Error(`${history.join(', ')}: not forbidden for ever`)
  return [...answers, state, stop, exit?.detail]
}
