import type { MailPreferences } from '@sandbox-jobs/contract/resources/notifications/mail-preferences.ts'
import {
  type NotificationEvent,
  notificationEvents,
} from '@sandbox-jobs/contract/resources/notifications/notification-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  off?: NotificationEvent[]
  on?: NotificationEvent[]
}

const events = (flag: string, what: string) =>
  new Option(`${flag} <event...>`, what).choices(notificationEvents)

export const mailCommand = (): Command =>
  serviceCommand('mail')
    .description('show which notifications you get as e-mail too, and switch kinds off and on')
    .addOption(events('--off', 'no e-mail about these events'))
    .addOption(events('--on', 'e-mail about these events again'))
    .action(({ off = [], on = [], ...options }: Options) =>
      withSession(options, async ({ client, report }) => {
        const before = await client.call(allRoutes.readMailPreferences)
        const muted = new Set([...before.muted_events, ...off].filter((event) => !on.includes(event)))
        const isChanged = off.length > 0 || on.length > 0
        const after = isChanged
          ? await client.call(allRoutes.updateMailPreferences, { body: { muted_events: [...muted] } })
          : before
        report.result(shown(after), after)
      }),
    )

function shown({ is_sent, address, muted_events }: MailPreferences): string {
  const where = is_sent
    ? `E-mails go to ${address}.`
    : address === null
      ? 'You get no e-mails: the operator has set no address for you.'
      : 'You get no e-mails: the service has no mail server.'
  const about = muted_events.length === 0 ? 'about every event' : `not about ${muted_events.join(', ')}`
  return `${where}\n${is_sent ? `They are ${about}.\n` : ''}`
}
