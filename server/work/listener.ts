import pg from 'pg'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { missedChannel } from '../db/commit-notifier.ts'

export interface ListenerOptions {
  url: string
  channels: readonly string[]
  onNotification: (channel: string, payload: string) => void
  /**
   * Called after every (re)connect, when a process of the service has started and when one could not notify: notifications may be
   * lost, so the receiver must poll.
   */
  onListening: () => void
  log: Log
}

export interface Listener {
  stop(): Promise<void>
}

const firstRetryMs = 100
const lastRetryMs = 500

/**
 * Listens for the database's notifications on a separate connection until it is stopped, and reconnects. Notifications sent
 * in between are lost, so a notification must only mean "poll now".
 */
export function listen(options: ListenerOptions): Listener {
  const stopping = new AbortController()
  const ended = keepListening(options, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

async function keepListening(options: ListenerOptions, signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  while (!signal.aborted) {
    try {
      await listenOnce(options, signal, () => {
        retryMs = firstRetryMs
      })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      options.log.warn({ error: message }, 'database notifications lost, connecting again')
    }
    await sleep(retryMs, signal)
    retryMs = Math.min(retryMs * 2, lastRetryMs)
  }
}

/** Listens on one connection until it ends. */
async function listenOnce(
  options: ListenerOptions,
  signal: AbortSignal,
  listening: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'sandbox-jobs listener',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  const over = new Promise<void>((resolve, reject) => {
    client.on('error', reject)
    client.on('end', resolve)
  })
  // It may reject before it is awaited.
  over.catch(() => undefined)
  const close = () => void client.end().catch(() => undefined)
  try {
    await client.connect()
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === missedChannel) options.onListening()
      else options.onNotification(channel, payload)
    })
    for (const channel of [...options.channels, missedChannel])
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
    listening()
    options.onListening()
    if (signal.aborted) return
    signal.addEventListener('abort', close, { once: true })
    await over
  } finally {
    signal.removeEventListener('abort', close)
    await client.end().catch(() => undefined)
  }
}
