import { mailsPerUserAndDay, mailWaitingMax } from '@sandbox-jobs/contract/limits.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import { newId } from '../../base/ids.ts'
import type { Trx } from '../../db/database.ts'
import type { Notice } from '../notice.ts'
import type { NoticeSink } from '../notifier.ts'
import { listMailRecipients, type MailRecipient } from './mail-preference-store.ts'
import { countMailsSince, countWaitingMails, insertMails } from './mail-store.ts'
import { type MailOrigin, mailText } from './mail-text.ts'

/** Until when attempts are repeated. */
const giveUpAfterMs = 3 * dayMs

type Recipient = MailRecipient & { email: string }
interface Addressed {
  notice: Notice
  recipients: Recipient[]
}

/** Queues an e-mail of each notice for each of its users who has an address and wants it. */
export const queueMail =
  ({ clock, origin }: { clock: Clock; origin: MailOrigin }): NoticeSink =>
  async (trx, addressed) => {
    const companyIds = [...new Set(addressed.map(({ notice }) => notice.companyId))]
    const userIds = [...new Set(addressed.flatMap((each) => each.userIds))]
    const known = (await listMailRecipients(trx, companyIds, userIds)).filter(hasAddress)
    if (known.length === 0) return
    const byId = new Map(known.map((recipient) => [recipient.user_id, recipient]))
    const wanted = addressed.map(({ notice, userIds: ids }) => ({
      notice,
      recipients: ids.flatMap((id) => byId.get(id) ?? []).filter((recipient) => wants(recipient, notice)),
    }))
    const byCompany = Map.groupBy(wanted, ({ notice }) => notice.companyId)
    // As all processes do: two that insert e-mails of a day for the same people would wait for each other.
    const ordered = [...byCompany].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [companyId, ofCompany] of ordered)
      await queueOfCompany(trx, companyId, ofCompany, { now: clock.now(), origin })
  }

const hasAddress = (recipient: MailRecipient): recipient is Recipient => recipient.email !== null

const wants = ({ company_id, muted }: Recipient, { companyId, event }: Notice): boolean =>
  company_id === companyId && !muted.includes(event)

/** A notice beyond the limits is in the notification centre alone. */
async function queueOfCompany(
  trx: Trx,
  companyId: string,
  addressed: readonly Addressed[],
  { now, origin }: { now: Date; origin: MailOrigin },
): Promise<void> {
  const userIds = [...new Set(addressed.flatMap(({ recipients }) => recipients.map((each) => each.user_id)))]
  if (userIds.length === 0) return
  const free = mailWaitingMax - (await countWaitingMails(trx, companyId, mailWaitingMax))
  const counts = await countMailsSince(trx, { companyId, userIds }, new Date(now.getTime() - dayMs))
  const mails = addressed.flatMap(({ notice, recipients }) => {
    const text = mailText(notice, origin)
    return recipients.flatMap(({ user_id }) => {
      const count = counts.get(user_id) ?? 0
      if (count >= mailsPerUserAndDay) return []
      counts.set(user_id, count + 1)
      return [{ notice, user_id, ...text }]
    })
  })
  await insertMails(
    trx,
    mails.slice(0, free).map(({ notice, user_id, subject, body }) => ({
      id: newId('mail'),
      company_id: companyId,
      user_id,
      source: notice.source,
      event: notice.event,
      subject,
      body,
      created_at: now,
      attempted_at: null,
      status: null,
      error: null,
      outcome: null,
    })),
    giveUpAfterMs,
  )
}
