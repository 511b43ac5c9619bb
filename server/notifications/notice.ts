import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import type { NotificationSubject } from '@sandbox-jobs/contract/resources/notifications/notification.ts'
import type { NotificationEvent } from '@sandbox-jobs/contract/resources/notifications/notification-event.ts'
import { visibleText } from '@sandbox-jobs/contract/visible-text.ts'
import type { OutboxEvent } from '../work/outbox.ts'
import type { EnvironmentFacts, RunFacts } from './event-facts-store.ts'

/** An event, as people and programs are notified of it. */
export interface Notice {
  /** Notices of a recipient with equal sources are one. */
  source: string
  /** True: later events of the source add to the count. */
  isDaily: boolean
  companyId: string
  event: NotificationEvent
  title: string
  deepLink: string
  subjectType: NotificationSubject
  subjectId: string | null
  chatroomId: string | null
  count: number
  at: Date
  /** Of a run. */
  run?: RunFacts
}

const nameMax = 80

/** A tenant's name in a line of its own: no line ends, nothing invisible, not long. */
function shown(name: string): string {
  const line = visibleText(name.replaceAll(/[\s]+/g, ' '))
  return line.length > nameMax ? `${line.slice(0, nameMax).toWellFormed()}...` : line
}

const common = ({ id, company_id, count, at }: OutboxEvent) =>
  ({ source: String(id), isDaily: false, companyId: company_id, count, at }) as const

const doorId = idPattern('door')

/** Whether the run came by a door: the platform has its answer, and its people are no people of the room. */
export const isByDoor = ({ api_key_id: id }: RunFacts): boolean => id !== null && doorId.test(id)

export function runNotice(event: OutboxEvent, run: RunFacts): Notice {
  const code = run.error_code === '' ? '' : ` (${run.error_code})`
  const outcome: Record<string, string> = {
    completed: 'completed',
    cancelled: 'cancelled',
    customer_failed: `failed${code}`,
    platform_failed: `failed because of the platform${code}`,
  }
  return {
    ...common(event),
    event: 'run_terminal',
    title: `${shown(run.task_name)}: ${outcome[run.state] ?? run.state}`,
    deepLink: `/console/chatrooms/${run.chatroom_id}/runs/${run.id}`,
    subjectType: 'run',
    subjectId: run.id,
    chatroomId: run.chatroom_id,
    run,
  }
}

const findings = (count: number, does: string): string =>
  `${count} security finding${count === 1 ? '' : 's'} ${does}`

/** The words that follow the name of the environment. */
const environmentTitles = {
  build_ready: () => 'is ready',
  build_failed: ({ error_code }) => `could not be built (${error_code})`,
  build_cancelled: () => 'is not built: cancelled',
  curated_environment_published: () => 'is published for all companies',
  security_finding_discovered: (_facts, count) => findings(count, 'discovered'),
  security_finding_resolved: (_facts, count) => findings(count, 'resolved'),
  security_finding_reappeared: (_facts, count) => findings(count, 'reappeared'),
  security_finding_blocked: (_facts, count) => findings(count, 'blocked by the operator'),
  security_exception_granted: () => 'an exception for a finding was granted',
  security_exception_revoked: () => 'an exception for a finding was revoked',
  security_exception_expired: () => 'an exception for a finding has expired',
  security_remediation_deadline: (_facts, count) => findings(count, 'at or near the remediation deadline'),
  runner_replacement_available: () => 'a newer runner is available, build it again to move to it',
  runner_handoff_completed: () => 'is replaced by a version on the current runner',
  runner_handoff_expired: () => 'has not moved to the newer runner in 30 days, build it again to move to it',
  runner_handoff_failed: () => 'could not be built again on the newer runner, this version stays in use',
  image_storage_renewal_blocked: () =>
    'image cannot be taken from storage again, retry provisioning or build it again',
  image_storage_cleanup_completed: () => 'image removed from storage',
} satisfies Partial<Record<NotificationEvent, (facts: EnvironmentFacts, count: number) => string>>

export type EnvironmentEvent = keyof typeof environmentTitles
export const isEnvironmentEvent = (event: string): event is EnvironmentEvent =>
  Object.hasOwn(environmentTitles, event)

export function environmentNotice(
  event: OutboxEvent,
  kind: EnvironmentEvent,
  facts: EnvironmentFacts,
): Notice {
  const { environment_id, version_id, version_number } = facts
  const name = `${shown(facts.name)}${version_number === null ? '' : ` version ${version_number}`}`
  const page = `/console/environments/${environment_id}`
  const isBuild = kind.startsWith('build_')
  return {
    ...common(event),
    event: kind,
    title: `${name}: ${environmentTitles[kind](facts, event.count)}`,
    deepLink: deepLinkOf(page, { kind, versionId: version_id, buildId: isBuild ? facts.subject_id : null }),
    subjectType: isBuild ? 'build' : version_id === null ? 'environment' : 'environment_version',
    subjectId: isBuild ? facts.subject_id : (version_id ?? environment_id),
    chatroomId: null,
  }
}

function deepLinkOf(
  page: string,
  of: { kind: EnvironmentEvent; versionId: string | null; buildId: string | null },
): string {
  if (of.kind.startsWith('security_')) return `${page}/findings`
  const version = of.versionId === null ? page : `${page}/versions/${of.versionId}`
  return of.buildId === null ? version : `${version}/builds/${of.buildId}`
}

const dailyTitles = {
  run_content_expiring: 'of your runs lose their results in 3 days',
  run_content_expired: 'of your runs have lost their results',
} satisfies Partial<Record<NotificationEvent, string>>
export type DailyEvent = keyof typeof dailyTitles
export const isDailyEvent = (event: string): event is DailyEvent => Object.hasOwn(dailyTitles, event)

/** About several runs of one person, once a day. */
export const dailyNotice = (event: OutboxEvent, kind: DailyEvent): Notice => ({
  ...common(event),
  source: `${kind}:${event.at.toISOString().slice(0, 10)}`,
  isDaily: true,
  event: kind,
  title: `Some ${dailyTitles[kind]}`,
  deepLink: '/console/runs',
  subjectType: 'runs',
  subjectId: null,
  chatroomId: null,
})
