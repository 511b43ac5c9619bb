import type { IncomingMessage } from 'node:http'

/** Text of an event stream that has arrived. */
export interface Arrived {
  text: string
  /** Comments that keep the connection alive. */
  heartbeats: number
}

export interface EventStream {
  /** Throws if the stream ends before. */
  until(isSo: (arrived: Arrived) => boolean): Promise<void>
}

/** Reads an event stream in the background, so that its connection never stands still. */
export function followEvents(response: IncomingMessage): EventStream {
  const arrived: Arrived = { text: '', heartbeats: 0 }
  let hasEnded = false
  let wake = () => {}
  response.setEncoding('utf8').on('data', (part: string) => {
    arrived.text += part
    arrived.heartbeats = arrived.text.split('\n: waiting\n').length - 1
    wake()
  })
  for (const end of ['close', 'error']) {
    response.on(end, () => {
      hasEnded = true
      wake()
    })
  }
  return {
    until: async (isSo) => {
      while (!isSo(arrived)) {
        if (hasEnded) throw new Error(`the stream (${response.statusCode}) ended with:\n${arrived.text}`)
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    },
  }
}
