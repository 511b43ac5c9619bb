import { type Clock, systemClock } from '../../base/clock.ts'
import { ConfigInvalid, readConfig } from '../../base/config/config.ts'
import { mailAddressPattern } from '../../base/config/notification-settings.ts'
import { newId } from '../../base/ids.ts'
import {
  configuredMailServer,
  type MailServer,
  type MailServerSettings,
  sendMail,
} from '../../notifications/mail/smtp.ts'

export type MailTest =
  | { ok: true; value: { server: string; address: string } }
  | { ok: false; cause: 'settings' | 'request' | 'server'; problem: string }

/** Sends an e-mail to an address through the configured server, and says what became of it. */
export async function testMail(address: string): Promise<MailTest> {
  try {
    return await testMailBy(readConfig(), address, systemClock)
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    return { ok: false, cause: 'settings', problem: error.problems.join('\n') }
  }
}

export async function testMailBy(config: MailServerSettings, to: string, clock: Clock): Promise<MailTest> {
  const server = configuredMailServer(config)
  if (!server)
    return { ok: false, cause: 'settings', problem: 'No mail server is configured: set SANDBOX_MAIL_SERVER.' }
  if (!mailAddressPattern.test(to))
    return { ok: false, cause: 'request', problem: 'That is no e-mail address.' }
  const { outcome, status, error } = await sendMail(server, {
    id: newId('mail'),
    to,
    at: clock.now(),
    subject: 'Test of Sandbox Jobs',
    body: `Sandbox Jobs at ${config.baseUrl} can send e-mail. You can ignore this message.\n`,
  })
  if (outcome === 'sent') return { ok: true, value: { server: nameOf(server), address: to } }
  const answer = status === null ? '' : `, answer ${status}`
  return {
    ok: false,
    cause: 'server',
    problem: `${nameOf(server)} did not take the e-mail: ${error}${answer}.`,
  }
}

const nameOf = ({ host, port }: MailServer): string => `${host}:${port}`
