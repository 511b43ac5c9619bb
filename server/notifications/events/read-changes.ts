import { readChangedBuilds } from '../../builds/attempts/changed-builds.ts'
import type { Database } from '../../db/database.ts'
import type { Changes } from '../../live-logs/company-changes.ts'
import { readChangedRuns } from '../../runs/read/changed-runs.ts'
import { countUnreadOfUsers } from '../notification-store.ts'
import type { CompanyEvent } from './pending-events.ts'

/** The events of what has changed in a company, as it is now; who may see each of them is said with it. */
export async function readChanges(
  db: Database,
  companyId: string,
  { run, user, build, menu, proposal }: Changes['ids'],
): Promise<CompanyEvent[]> {
  const [runs, builds, unread] = await Promise.all([
    readChangedRuns(db, { companyId, ids: run }),
    readChangedBuilds(db, { companyId, ids: build }),
    countUnreadOfUsers(db, { companyId, userIds: user }),
  ])
  return [
    ...runs.map((event): CompanyEvent => ({ subject: event.id, roomId: event.chatroom_id, event })),
    ...builds.map(({ event, environment }): CompanyEvent => ({ subject: event.id, environment, event })),
    ...[...unread].map(
      ([userId, count]): CompanyEvent => ({
        subject: `notifications of ${userId}`,
        userId,
        event: { kind: 'notification', unread: count },
      }),
    ),
    ...proposal.map((userId): CompanyEvent => ({ ...inbox(userId), userId })),
    ...menu.flatMap(menuEvents),
  ]
}

/** A changed menu may be one that waits for somebody: a secret is missing, or a version to accept. `*`: the menus of several rooms. */
function menuEvents(id: string): CompanyEvent[] {
  const of = id === '*' ? {} : { roomId: id }
  return [
    { subject: `menu of ${id}`, ...of, event: { kind: 'menu', chatroom_id: of.roomId ?? null } },
    { ...inbox(id), ...of },
  ]
}

const inbox = (cause: string): CompanyEvent => ({ subject: `inbox by ${cause}`, event: { kind: 'inbox' } })
