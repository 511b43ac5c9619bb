import type { LogSink } from './log-source.ts'

const [firstDelayMs, lastDelayMs] = [1000, 30_000]
const hiddenMs = 30_000

/**
 * Follows a log by its events until it ends. A connection that breaks is made again from the byte that was reached, later each
 * time; a page that is not seen for 30 seconds has none.
 */
export class LogFollower {
  readonly #address: string
  readonly #sink: LogSink
  readonly #gapText: (bytes: number) => string
  #events: EventSource | undefined
  #position = 0
  #delayMs = firstDelayMs
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `gapText` is shown for so many bytes that are not sent live. */
  constructor(address: string, { sink, gapText }: { sink: LogSink; gapText: (bytes: number) => string }) {
    this.#address = address
    this.#sink = sink
    this.#gapText = gapText
  }

  follow(signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.#disconnect())
    document.addEventListener('visibilitychange', () => this.#seen(), { signal })
    this.#connect(signal)
    this.#reconnect = () => this.#connect(signal)
  }

  #reconnect = (): void => {}

  #connect(signal: AbortSignal): void {
    this.#disconnect()
    const events = new EventSource(`${this.#address}?start=${this.#position}`)
    this.#events = events
    const encoder = new TextEncoder()
    const add = (text: string) => this.#sink.add(encoder.encode(text))
    const on = (kind: string, take: (event: MessageEvent<string>) => void) =>
      events.addEventListener(kind, take, { signal })
    on('log', (event) => add(this.#partOf<{ text: string }>(event).text))
    on('gap', (event) => {
      const { start, end } = this.#partOf<{ start: number; end: number }>(event)
      add(`\n${this.#gapText(end - start)}\n`)
    })
    on('end', () => {
      this.#disconnect()
      this.#reconnect = () => {}
      this.#sink.end()
    })
    on('error', () => {
      this.#disconnect()
      // One connection may end by itself.
      if (this.#delayMs > firstDelayMs) this.#sink.interrupt(true)
      this.#timer = setTimeout(() => this.#reconnect(), this.#delayMs)
      this.#delayMs = Math.min(lastDelayMs, this.#delayMs * 2)
    })
  }

  #partOf<Part>({ data, lastEventId }: MessageEvent<string>): Part {
    this.#position = Number(lastEventId) || this.#position
    this.#delayMs = firstDelayMs
    this.#sink.interrupt(false)
    return JSON.parse(data) as Part
  }

  #disconnect(): void {
    clearTimeout(this.#timer)
    this.#events?.close()
    this.#events = undefined
  }

  #seen(): void {
    clearTimeout(this.#timer)
    if (document.hidden) this.#timer = setTimeout(() => this.#disconnect(), hiddenMs)
    else if (this.#events === undefined) this.#reconnect()
  }
}
