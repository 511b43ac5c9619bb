import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ReceivedMail, ReceivedPost } from '../load/receivers.ts'

/** Messages that receivers have got by now. */
export interface Received {
  posts: readonly ReceivedPost[]
  mails: readonly ReceivedMail[]
}

/** Longer than an attempt whose claim was lost with the database's connection may count as in progress. */
const settledWithinMs = 200_000
const pollMs = 250
/** E-mails to one user within a day, by the contract's limits. */
const mailsMax = 100

/**
 * After all work has ended: each run's end is one notification of its submitter, one event of the webhook, posted at least
 * once and always under the same id, and one e-mail, under one Message-ID (I7). Only runs of one person and one webhook.
 */
export async function findNoticeFaults(
  database: pg.Client,
  runIds: readonly string[],
  received: Received,
): Promise<string[]> {
  const left = await settled(database)
  if (left > 0) return [`${left} notices still wait`]
  return [
    ...(await faultsOfNotifications(database, runIds)),
    ...(await faultsOfPosts(database, runIds, received.posts)),
    ...(await faultsOfMails(database, runIds, received.mails)),
  ]
}

/** Waits until nothing waits, and returns what is left. */
async function settled(database: pg.Client): Promise<number> {
  for (const startedAt = performance.now(); ; await sleep(pollMs)) {
    const { rows } = await database.query<{ left: number }>(
      `select ((select count(*) from event_outbox) + (select count(*) from webhook_deliveries where outcome is null)
         + (select count(*) from mail_deliveries where outcome is null))::int as left`,
    )
    const left = rows[0]?.left ?? 0
    if (left === 0 || performance.now() - startedAt > settledWithinMs) return left
  }
}

async function faultsOfNotifications(database: pg.Client, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string; count: number }>(
    `select r.id, count(n.id)::int as count from unnest($1::text[]) as r (id)
     left join notifications n on n.subject_id = r.id and n.event = 'run_terminal' group by r.id having count(n.id) <> 1`,
    [runIds],
  )
  return rows.map(({ id, count }) => `${id} has ${count} notifications`)
}

async function faultsOfPosts(
  database: pg.Client,
  runIds: readonly string[],
  posts: readonly ReceivedPost[],
): Promise<string[]> {
  const { rows } = await database.query<{ id: string; events: string[]; delivered: number }>(
    `select r.id, array_remove(array_agg(d.event_id), null) as events,
       count(*) filter (where d.outcome = 'delivered')::int as delivered
     from unnest($1::text[]) as r (id)
     left join webhook_deliveries d on (d.body::json -> 'data' ->> 'subject_id') = r.id group by r.id`,
    [runIds],
  )
  const ofRun = Map.groupBy(
    posts,
    ({ body }) => (JSON.parse(body) as { data: { subject_id: string } }).data.subject_id,
  )
  return rows.flatMap(({ id, events, delivered }) => {
    const got = ofRun.get(id) ?? []
    const ids = [...new Set(got.map((post) => post.id))]
    return [
      ...(events.length === 1 && delivered === 1
        ? []
        : [`${id} has ${events.length} events, ${delivered} delivered`]),
      ...(ids.length === 1 && ids[0] === events[0]
        ? []
        : [`${id} was posted under the ids ${ids.join(', ') || 'none'}`]),
      ...(new Set(got.map(({ body }) => body)).size <= 1 ? [] : [`${id} was posted with different bodies`]),
    ]
  })
}

async function faultsOfMails(
  database: pg.Client,
  runIds: readonly string[],
  mails: readonly ReceivedMail[],
): Promise<string[]> {
  const { rows } = await database.query<{
    id: string
    mail: string | null
    outcome: string
    attempts: number
  }>(
    `select r.id, m.id as mail, m.outcome, m.attempts from unnest($1::text[]) as r (id)
     left join mail_deliveries m on strpos(m.body, r.id) > 0`,
    [runIds],
  )
  const { rows: all } = await database.query<{ count: number }>(
    'select count(*)::int as count from mail_deliveries',
  )
  const isFull = (all[0]?.count ?? 0) >= mailsMax
  const times = Map.groupBy(mails, ({ id }) => /^<(mal_[0-9a-f]+)@/.exec(id)?.[1] ?? id)
  const seen = new Set<string>()
  return rows.flatMap(({ id, mail, outcome, attempts }) => {
    if (seen.has(id)) return [`${id} has two e-mails`]
    seen.add(id)
    if (mail === null) return isFull ? [] : [`${id} has no e-mail`]
    const got = times.get(mail)?.length ?? 0
    return [
      ...(outcome === 'sent' ? [] : [`the e-mail of ${id} is ${outcome}`]),
      ...(got >= 1 && got <= attempts
        ? []
        : [`the e-mail of ${id} came ${got} times in ${attempts} attempts`]),
    ]
  })
}
