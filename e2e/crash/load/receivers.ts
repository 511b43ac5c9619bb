import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { startMailServer } from '../../../testing/mail-server.ts'
import type { OwnService } from '../../main-job/service.ts'
import type { Tenant } from '../../main-job/tenant.ts'
import { withDatabase } from './history.ts'

/** A post of a webhook. */
export interface ReceivedPost {
  id: string
  body: string
}

export interface ReceivedMail {
  /** Its Message-ID. */
  id: string
}

/** A webhook receiver and an SMTP server on loopback, which keep all that they get. They are never killed. */
export class Receivers {
  readonly posts: ReceivedPost[] = []
  readonly #mail: Awaited<ReturnType<typeof startMailServer>>
  readonly #server = createServer((request, response) => {
    void buffer(request).then((body) => {
      this.posts.push({ id: String(request.headers['webhook-id']), body: body.toString() })
      response.writeHead(204).end()
    })
  })

  private constructor(mail: Awaited<ReturnType<typeof startMailServer>>) {
    this.#mail = mail
  }

  static async start(): Promise<Receivers> {
    const receivers = new Receivers(await startMailServer())
    receivers.#server.listen(0, '127.0.0.1')
    await once(receivers.#server, 'listening')
    return receivers
  }

  get mails(): ReceivedMail[] {
    return this.#mail.mails.map((mail) => ({ id: mail.header('Message-ID') ?? '' }))
  }

  /** Settings of a service that sends to them. */
  get settings(): Record<string, string> {
    const { mailServer, mailLoginFile, mailCaFile, mailFrom } = this.#mail.settings
    return {
      SANDBOX_WEBHOOK_INNER_RANGES: '127.0.0.1/32',
      SANDBOX_MAIL_SERVER: mailServer,
      SANDBOX_MAIL_LOGIN_FILE: mailLoginFile,
      SANDBOX_MAIL_CA_FILE: mailCaFile,
      SANDBOX_MAIL_FROM: mailFrom,
    }
  }

  /** Has the tenant's person notified by e-mail, and the company's events posted. */
  async subscribe(service: OwnService, { client }: Tenant): Promise<void> {
    const { port } = this.#server.address() as AddressInfo
    await client.call(allRoutes.createWebhook, {
      body: { url: `http://127.0.0.1:${port}/`, events: ['run_terminal'] },
    })
    await withDatabase(service.dataDir, (database) =>
      database.query('update users set email = $1 where login = $2', ['ada@people.test', service.user]),
    )
  }

  async close(): Promise<void> {
    await this.#mail.close()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
