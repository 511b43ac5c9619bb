import { notificationEvents } from '@sandbox-jobs/contract/resources/notifications/notification-event.ts'
import type { Webhook } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

export const webhookListCommand = (): Command =>
  serviceCommand('list')
    .description('list the webhooks of the company')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const { items } = await client.call(allRoutes.listWebhooks)
        const rows = items.map((webhook) => [
          webhook.id,
          stateOf(webhook),
          webhook.events.join(',') || 'all',
          webhook.url,
        ])
        report.result(table(['ID', 'STATE', 'EVENTS', 'URL'], rows), { items })
      }),
    )

const stateOf = ({ paused_because, failing_since }: Webhook): string =>
  paused_because === null ? (failing_since === null ? 'active' : 'failing') : `paused (${paused_because})`

interface AddOptions extends ConnectionOptions {
  event?: (typeof notificationEvents)[number][]
  description?: string
}

export const webhookAddCommand = (): Command =>
  serviceCommand('add')
    .description('post the events of the company to an address, and print the signing secret once')
    .argument('<url>', 'https address')
    .addOption(
      new Option('--event <event...>', 'only these events (default: all)').choices(notificationEvents),
    )
    .option('--description <text>', 'for people')
    .action((url: string, options: AddOptions) =>
      withSession(options, async ({ client, report }) => {
        const made = await client.call(allRoutes.createWebhook, {
          body: {
            url,
            ...(options.event && { events: options.event }),
            ...(options.description !== undefined && { description: options.description }),
          },
        })
        report.progress(`${made.id}; this is shown once:`)
        report.result(`${made.secret}\n`, made)
      }),
    )

export const webhookRotateCommand = (): Command =>
  oneWebhook(
    'rotate',
    'make a new signing secret, and print it once; the former signs too for a day',
    async (session, wid) => {
      const made = await session.client.call(allRoutes.rotateWebhookSecret, { params: { wid } })
      session.report.progress(`${made.id}; this is shown once:`)
      session.report.result(`${made.secret}\n`, made)
    },
  )

const changed = async (session: Session, wid: string, paused: boolean) => {
  const webhook = await session.client.call(allRoutes.updateWebhook, { params: { wid }, body: { paused } })
  session.report.result(`${webhook.id} is ${stateOf(webhook)}.\n`, webhook)
}

export const webhookPauseCommand = (): Command =>
  oneWebhook('pause', 'queue no events until it is resumed; what waits ends as failed', (session, wid) =>
    changed(session, wid, true),
  )

export const webhookResumeCommand = (): Command =>
  oneWebhook('resume', 'resume a paused webhook', (session, wid) => changed(session, wid, false))

export const webhookRemoveCommand = (): Command =>
  oneWebhook('remove', 'remove a webhook with its deliveries', async (session, wid) => {
    const webhook = await session.client.call(allRoutes.deleteWebhook, { params: { wid } })
    session.report.result(`${webhook.id} is removed.\n`, webhook)
  })

export const webhookTestCommand = (): Command =>
  oneWebhook('test', 'post a test event; `deliveries` shows the answer', async (session, wid) => {
    const delivery = await session.client.call(allRoutes.testWebhook, { params: { wid } })
    session.report.result(`${delivery.id} is ${delivery.state}.\n`, delivery)
  })

export const webhookDeliveriesCommand = (): Command =>
  oneWebhook(
    'deliveries',
    'list the deliveries of a webhook, newest first',
    async ({ client, report }, wid) => {
      const items = await allPages((query) =>
        client.call(allRoutes.listWebhookDeliveries, { params: { wid }, query }),
      )
      const rows = items.map((each) => [
        each.created_at,
        each.event,
        each.state,
        String(each.attempts),
        each.last_error ?? (each.last_status === null ? '' : String(each.last_status)),
        each.id,
      ])
      report.result(table(['TIME', 'EVENT', 'STATE', 'ATTEMPTS', 'LAST', 'ID'], rows), { items })
    },
  )

export const webhookRedeliverCommand = (): Command =>
  serviceCommand('redeliver')
    .description('deliver an event again, with the same id')
    .argument('<webhook>', 'id of the webhook')
    .argument('<delivery>', 'id of the delivery')
    .action((wid: string, did: string, options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const delivery = await client.call(allRoutes.redeliver, { params: { wid, did } })
        report.result(escapeControls(`${delivery.id} is ${delivery.state}.`).concat('\n'), delivery)
      }),
    )

const oneWebhook = (
  name: string,
  description: string,
  act: (session: Session, wid: string) => Promise<void>,
): Command =>
  serviceCommand(name)
    .description(description)
    .argument('<webhook>', 'id of the webhook')
    .action((wid: string, options: ConnectionOptions) => withSession(options, (session) => act(session, wid)))
