import type { Log } from '../base/logging.ts'
import { type StreamDeps, streamLiveLog } from './stream-live-log.ts'

interface Source {
  sandboxId: string
  ahead: number
  over: AbortController
  isStreaming: boolean
}

/** The sandboxes of a worker and the logs that they write: each is streamed while it has followers. */
export class LogSources {
  readonly #deps: StreamDeps & { log: Log }
  readonly #sources = new Map<string, Source>()

  constructor(deps: StreamDeps & { log: Log }) {
    this.#deps = deps
  }

  /**
   * Registers this sandbox, which need not exist yet, as the source of the log, with `ahead` bytes before the start
   * of its own log. Returns the function that unregisters it.
   */
  register(subjectId: string, sandboxId: string, ahead = 0): () => void {
    const former = this.#sources.get(subjectId)
    former?.over.abort()
    const source: Source = { sandboxId, ahead, over: new AbortController(), isStreaming: false }
    this.#sources.set(subjectId, source)
    if (former?.isStreaming) this.onRequested(subjectId)
    return () => {
      source.over.abort()
      if (this.#sources.get(subjectId) === source) this.#sources.delete(subjectId)
    }
  }

  /** A follower requests this log; logs of sandboxes on other workers are ignored. */
  onRequested(subjectId: string): void {
    const source = this.#sources.get(subjectId)
    if (!source || source.isStreaming) return
    source.isStreaming = true
    const { sandboxId, ahead, over } = source
    streamLiveLog(this.#deps, { subjectId, sandboxId, ahead }, over.signal)
      .catch((error: unknown) =>
        this.#deps.log.warn({ error: String(error), subject: subjectId }, 'streaming a live log failed'),
      )
      .finally(() => {
        source.isStreaming = false
      })
  }

  stop(): void {
    for (const { over } of this.#sources.values()) over.abort()
    this.#sources.clear()
  }
}
