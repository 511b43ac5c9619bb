import type { Trx } from '../db/database.ts'
import { type OutboxEvent, recordForEveryCompany } from '../work/outbox.ts'
import {
  type EnvironmentFacts,
  readBuildFacts,
  readFindingFacts,
  readRunFacts,
  readVersionFacts,
} from './event-facts-store.ts'
import {
  dailyNotice,
  environmentNotice,
  isByDoor,
  isDailyEvent,
  isEnvironmentEvent,
  type Notice,
  runNotice,
} from './notice.ts'
import { listActiveUsers, listOwnerManagers } from './recipient-store.ts'

/** A notice and the users who get it. */
export interface AddressedNotice {
  notice: Notice
  userIds: string[]
}

/**
 * The notices of events, in their order. An event whose subject is gone has none. A curated version that is ready becomes an
 * event of each company, which a later round handles.
 */
export async function composeNotices(trx: Trx, events: readonly OutboxEvent[]): Promise<AddressedNotice[]> {
  const companyIds = [...new Set(events.map(({ company_id }) => company_id))]
  const addressed = [
    ...(await ofRuns(trx, companyIds, events)),
    ...(await ofEnvironments(trx, companyIds, events)),
    ...(await ofSubmitters(trx, companyIds, events)),
  ]
  const order = new Map(events.map(({ id }, at) => [id, at]))
  const orderOf = ({ event }: { event: OutboxEvent }) => order.get(event.id) ?? 0
  return addressed
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .map(({ notice, userIds }) => ({ notice, userIds }))
}

type Composed = AddressedNotice & { event: OutboxEvent }

async function ofRuns(trx: Trx, companyIds: string[], all: readonly OutboxEvent[]): Promise<Composed[]> {
  const events = all.filter(({ event }) => event === 'run_terminal')
  if (events.length === 0) return []
  const facts = await readRunFacts(trx, companyIds, subjectsOf(events))
  const runs = new Map(facts.map((run) => [run.id, run]))
  const submitters = facts.filter((run) => run.principal_type === 'user').map((run) => run.principal_id)
  const active = await listActiveUsers(trx, companyIds, [...new Set(submitters)])
  return events.flatMap((event) => {
    const run = runs.get(event.subject_id)
    if (run?.company_id !== event.company_id) return []
    const isNotified = run.principal_type === 'user' && active.has(run.principal_id) && !isByDoor(run)
    return { event, notice: runNotice(event, run), userIds: isNotified ? [run.principal_id] : [] }
  })
}

async function ofSubmitters(
  trx: Trx,
  companyIds: string[],
  all: readonly OutboxEvent[],
): Promise<Composed[]> {
  const events = all.filter(({ event }) => isDailyEvent(event))
  const active = await listActiveUsers(trx, companyIds, subjectsOf(events))
  return events.flatMap((event) => {
    if (!isDailyEvent(event.event) || !active.has(event.subject_id)) return []
    return { event, notice: dailyNotice(event, event.event), userIds: [event.subject_id] }
  })
}

async function ofEnvironments(
  trx: Trx,
  companyIds: string[],
  all: readonly OutboxEvent[],
): Promise<Composed[]> {
  const events = all.filter(({ event }) => isEnvironmentEvent(event))
  if (events.length === 0) return []
  const facts = await factsOf(trx, companyIds, events)
  const managers = new Map<string, string[]>()
  const composed: Composed[] = []
  for (const event of events) {
    const kind = event.event
    const found = facts.get(event.subject_id)
    if (!found || !isEnvironmentEvent(kind)) continue
    if (found.company_id === null && kind !== 'curated_environment_published') {
      await announceCurated(trx, kind, found)
      continue
    }
    if (found.company_id !== null && found.company_id !== event.company_id) continue
    const owner = ownerOf(event, found)
    const key = Object.values(owner).join(':')
    const userIds = managers.get(key) ?? (await listOwnerManagers(trx, owner))
    managers.set(key, userIds)
    composed.push({ event, notice: environmentNotice(event, kind, found), userIds })
  }
  return composed
}

/** Only that it is ready: what else happens to a curated build is for the operator. */
async function announceCurated(trx: Trx, kind: string, { version_id }: EnvironmentFacts): Promise<void> {
  if (kind !== 'build_ready' || version_id === null) return
  await recordForEveryCompany(trx, { event: 'curated_environment_published', subjectId: version_id })
}

/** An environment of the deployment notifies the managers of each company. */
const ownerOf = ({ company_id: companyId }: OutboxEvent, facts: EnvironmentFacts) =>
  facts.company_id === null
    ? { companyId, scope: 'company', id: companyId }
    : { companyId, scope: facts.owner_scope, id: facts.owner_id }

async function factsOf(
  trx: Trx,
  companyIds: string[],
  events: readonly OutboxEvent[],
): Promise<Map<string, EnvironmentFacts>> {
  const read = async (
    by: (trx: Trx, companyIds: string[], ids: string[]) => Promise<EnvironmentFacts[]>,
    matches: (event: string) => boolean,
  ) => {
    const ids = subjectsOf(events.filter(({ event }) => matches(event)))
    return ids.length === 0 ? [] : by(trx, companyIds, ids)
  }
  const facts = [
    ...(await read(readBuildFacts, (event) => event.startsWith('build_'))),
    ...(await read(readFindingFacts, (event) => event.startsWith('security_'))),
    ...(await read(readVersionFacts, (event) => !/^(build|security)_/.test(event))),
  ]
  return new Map(facts.map((each) => [each.subject_id, each]))
}

const subjectsOf = (events: readonly OutboxEvent[]): string[] => [
  ...new Set(events.map(({ subject_id }) => subject_id)),
]
