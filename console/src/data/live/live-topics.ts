import { liveTopicsMax } from '@sandbox-jobs/contract/limits.ts'
import { Store } from '../store.ts'

/** Topics that every page follows. */
const always = ['me', 'room:*']

/** Topics of single things on the screen of this tab, such as `build:ID`. */
export const ownTopics = new Store<readonly string[]>([])

/** Follows a topic until the returned function is called. */
export function followTopic(topic: string): () => void {
  ownTopics.set([...ownTopics.get(), topic])
  return () => {
    const topics = ownTopics.get()
    ownTopics.set(topics.toSpliced(topics.indexOf(topic), 1))
  }
}

/** The topics of all tabs of a browser, for the one that holds the stream. */
export class TopicsOfTabs {
  readonly #byTab = new Map<string, readonly string[]>()

  note(tab: string, topics: readonly string[]): void {
    this.#byTab.delete(tab)
    if (topics.length > 0) this.#byTab.set(tab, topics)
  }

  /** As many as a stream may have: those of the tabs that changed last. */
  all(): string[] {
    return [...new Set([...always, ...[...this.#byTab.values()].toReversed().flat()])].slice(0, liveTopicsMax)
  }
}
