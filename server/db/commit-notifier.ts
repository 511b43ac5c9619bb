import type pg from 'pg'
import { sleep } from '../base/clock.ts'
import { outsideRequests } from '../base/current-request.ts'
import type { Log } from '../base/logging.ts'
import type { SharedPool } from './shared-pool.ts'

/** Notified when notifications of any channel may be missing. Every listener listens to it, and polls. */
export const missedChannel = 'notifications_missed'

export interface Notification {
  channel: string
  payload: string
}

/** SQLSTATE of the message by which `notify_after_commit` asks for a notification. */
const asksCode = 'SJ001'
/** Two statements are at least so far apart; commits in between share the second. */
const spacingMs = 5
const retryMs = 500

/** The message with which the server says that it is ready for the next statement; `I`: outside of a transaction. */
interface ReadyConnection {
  on(event: 'readyForQuery', received: (message: { status?: string }) => void): void
}

/**
 * Sends the notifications of the transactions of one process, each after its commit: the first at once, those of the next
 * milliseconds together. Listeners poll for those that a killed process did not send. After a failed statement they are all
 * asked to poll.
 */
export class CommitNotifier {
  readonly #send: (notifications: readonly Notification[]) => Promise<unknown>
  readonly #log: Log
  readonly #ending = new AbortController()
  #waiting = new Map<string, Notification>()
  #sending: Promise<void> | undefined

  constructor(send: (notifications: readonly Notification[]) => Promise<unknown>, log: Log) {
    this.#send = send
    this.#log = log
  }

  /** Sends what the transactions of this connection ask for. */
  follow(client: pg.ClientBase): void {
    let asked: Notification[] = []
    const sendAsked = () => {
      if (asked.length === 0) return
      for (const notification of asked) this.#add(notification)
      asked = []
    }
    client.on('notice', ({ code, message = '', detail = '' }) => {
      if (code === asksCode) asked.push({ channel: message, payload: detail })
    })
    // Missing in the driver's types, as in `cork-writes.ts`.
    const { connection } = client as unknown as { connection: ReadyConnection }
    connection.on('readyForQuery', ({ status }) => {
      if (status === 'I') sendAsked()
    })
    // Whether a commit was done that got no answer is not known.
    client.on('end', sendAsked)
  }

  /** Resolves when everything is sent, or could not be. */
  async end(): Promise<void> {
    this.#ending.abort()
    while (this.#sending) await this.#sending
  }

  #add(notification: Notification): void {
    this.#waiting.set(`${notification.channel} ${notification.payload}`, notification)
    this.#sending ??= outsideRequests(() => this.#sendWaiting())
  }

  async #sendWaiting(): Promise<void> {
    const { signal } = this.#ending
    while (this.#waiting.size > 0) {
      const notifications = [...this.#waiting.values()]
      this.#waiting = new Map()
      try {
        await this.#send(notifications)
        await sleep(spacingMs, signal)
      } catch (error) {
        this.#log.warn({ error: String(error) }, 'notifications not sent, listeners are to poll')
        if (signal.aborted) continue
        this.#waiting = new Map([[missedChannel, { channel: missedChannel, payload: '' }]])
        await sleep(retryMs, signal)
      }
    }
    this.#sending = undefined
  }
}

/** Notifies at once, in a transaction of its own that changes nothing and so does not wait for the disk. */
export async function sendNotifications(
  pool: SharedPool,
  notifications: readonly Notification[],
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(
      'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as asked (channel, payload)',
      [notifications.map(({ channel }) => channel), notifications.map(({ payload }) => payload)],
    )
  } finally {
    client.release()
  }
}
