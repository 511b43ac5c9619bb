import type {
  MailPreferences,
  MailPreferencesUpdateRequest,
} from '@sandbox-jobs/contract/resources/notifications/mail-preferences.ts'
import type { Principal } from '../../access/principal.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Database } from '../../db/database.ts'
import { inBatches } from '../../work/sweep.ts'
import { listMailRecipients, putMuted } from './mail-preference-store.ts'
import { deleteOldMails } from './mail-store.ts'

export interface MailPreferenceDeps {
  db: Database
  /** Whether the operator has configured a server. */
  sendsMail: boolean
}

/** The address of the principal and what they want no e-mail about. Throws `not_found` for who is no user. */
export async function readMailPreferences(
  { db, sendsMail }: MailPreferenceDeps,
  { companyId, principalId }: Principal,
): Promise<MailPreferences> {
  const [recipient] = await listMailRecipients(db, [companyId], [principalId])
  if (!recipient) throw notFound()
  return {
    is_sent: sendsMail && recipient.email !== null,
    address: recipient.email,
    muted_events: recipient.muted as MailPreferences['muted_events'],
  }
}

/** Replaces what the principal wants no e-mail about. */
export async function updateMailPreferences(
  deps: MailPreferenceDeps,
  principal: Principal,
  { muted_events }: MailPreferencesUpdateRequest,
): Promise<MailPreferences> {
  // Found first: a client of a channel has no preferences.
  await readMailPreferences(deps, principal)
  const of = { companyId: principal.companyId, userId: principal.principalId }
  await putMuted(deps.db, of, muted_events.toSorted())
  return readMailPreferences(deps, principal)
}

const keptMs = 7 * dayMs
const sweepBatch = 1000

/** One round of the loop that deletes e-mails some time after their end. */
export async function sweepMails({ db, clock }: { db: Database; clock: Clock }): Promise<{ mails: number }> {
  const before = new Date(clock.now().getTime() - keptMs)
  return { mails: await inBatches(sweepBatch, (limit) => deleteOldMails(db, before, limit)) }
}
