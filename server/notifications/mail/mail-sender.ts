import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { dueRows } from '../../work/claim-due.ts'
import { Deliveries, type LaneSlots, type Slot } from '../../work/deliveries.ts'
import { deliveryTries } from '../delivery-metrics.ts'
import { pauseUntilNext, recordDelivery } from '../redelivery.ts'
import { listMailRecipients } from './mail-preference-store.ts'
import { type ClaimedMail, dueMails, type MailLane, updateMail } from './mail-store.ts'
import { type MailServer, sendMail } from './smtp.ts'

export interface MailSenderOptions {
  db: Database
  clock: Clock
  log: Log
  server: MailServer
  /** The one of this process. */
  worker: string
  /** Of an attempt in the first lane; then it moves to the other one, if that has a place. */
  firstLaneMs?: number
  pollIntervalMs?: number
}

/** Connections to the server. An e-mail that has failed before has those of its own, and a company has few. */
const slots: Record<MailLane, LaneSlots> = {
  first: { all: 4, ofCompany: 2 },
  retry: { all: 4, ofCompany: 2 },
}
const firstLaneDefaultMs = 3000
/** An attempt that has not ended by then died with its process. Longer than an attempt may take. */
const lostAfterMs = 180_000

/**
 * Sends e-mails that are due. Each is sent once, except where the process or the connection ends between the last byte of the
 * e-mail and the answer of the server: then it is sent again, with the same Message-ID.
 */
export class MailSender {
  readonly attempts: Deliveries<MailLane, ClaimedMail>
  readonly #options: MailSenderOptions

  constructor(options: MailSenderOptions) {
    this.#options = options
    const { db, clock, log, worker, pollIntervalMs } = options
    this.attempts = new Deliveries<MailLane, ClaimedMail>({
      name: 'mail',
      places: slots,
      ...dueRows(dueMails, { db, worker, lostAfterMs }),
      attempt: (mail, place) => this.#attempt(mail, place),
      clock,
      log,
      pollIntervalMs,
    })
  }

  async #attempt(mail: ClaimedMail, place: Slot<MailLane>): Promise<void> {
    const { db, log, server, firstLaneMs = firstLaneDefaultMs } = this.#options
    const { id, company_id: companyId, user_id, subject, body, created_at: at } = mail
    const key = { companyId, id }
    const [recipient] = await listMailRecipients(db, [companyId], [user_id])
    if (!recipient?.email) return void (await updateMail(db, key, { outcome: 'dropped' }))
    // Never cut off: after its last byte nobody could know whether it was taken.
    const lane = setTimeout(() => mail.lane === 'first' && place.moveTo('retry'), firstLaneMs)
    const sent = await sendMail(server, { id, to: recipient.email, subject, body, at })
    clearTimeout(lane)
    const { outcome, status, error } = sent
    deliveryTries.inc({ kind: 'mail', outcome })
    const record = (set: Parameters<typeof updateMail>[2]) =>
      recordDelivery('record of an e-mail', () => updateMail(db, key, set), log)
    if (outcome === 'sent') return void (await record({ outcome, status, error }))
    log.warn({ mail: id, company: companyId, outcome, status, error }, 'an e-mail was not sent')
    const dueInMs = outcome === 'refused' ? undefined : pauseUntilNext(mail)
    const next = dueInMs === undefined ? { outcome } : { dueInMs, lane: 'retry' as const }
    await record({ status, error, ...next })
  }
}
