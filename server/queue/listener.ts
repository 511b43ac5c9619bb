import pg from 'pg'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'

export interface ListenerOptions {
  url: string
  channels: readonly string[]
  onMessage: (channel: string, payload: string) => void
  /** After every (re)connect: what was told while nobody listened has to be looked up. */
  onListening: () => void
  log: Log
}

export interface Listener {
  stop(): Promise<void>
}

const firstRetryMs = 100
const lastRetryMs = 500

/**
 * Hears the database's notifications on a connection of its own, for as long as it is not stopped. A connection that
 * breaks is made again; notifications in between are lost, so they may only ever mean "look now".
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

/** One connection from its beginning to its end. */
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
  // It may break before anyone waits for it.
  over.catch(() => undefined)
  const close = () => void client.end().catch(() => undefined)
  try {
    await client.connect()
    client.on('notification', (message) => options.onMessage(message.channel, message.payload ?? ''))
    for (const channel of options.channels) await client.query(`listen ${client.escapeIdentifier(channel)}`)
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
