/** Keys of one statement at most. */
const gatheredMax = 256
/** What the keys of one statement may weigh together; one alone may weigh more. */
const weightMax = 4 * 1024 * 1024
/** Statements under way at most; keys that come meanwhile wait for one of them to end. */
const underWayMax = 2

interface Asked<Key, Row> {
  key: Key
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Looks rows up by keys that many requests ask for at once, all keys of a moment in one statement: under load most of
 * what a small lookup costs is its way there and back.
 *
 * What is asked for is always read afterwards, never taken from a statement that was under way before: an answer is as
 * fresh as that of a statement of its own. Nothing is kept.
 */
export class Gathered<Key, Row> {
  readonly #load: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>
  readonly #weigh: (key: Key) => number
  #waiting: Asked<Key, Row>[] = []
  #underWay = 0
  #planned = false

  /** `load` answers the row of each key, in the order of the keys; `weigh` tells the bytes of keys that carry some. */
  constructor(
    load: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
    weigh: (key: Key) => number = () => 0,
  ) {
    this.#load = load
    this.#weigh = weigh
  }

  /** Rejects as the statement did. */
  find(key: Key): Promise<Row | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>()
    this.#waiting.push({ key, resolve, reject })
    this.#plan()
    return promise
  }

  /** After the requests that have arrived by now were all read. */
  #plan(): void {
    if (this.#planned || this.#underWay >= underWayMax || this.#waiting.length === 0) return
    this.#planned = true
    setImmediate(() => {
      this.#planned = false
      void this.#look(this.#waiting.splice(0, this.#count()))
      this.#plan()
    })
  }

  /** How many of those that wait go together. */
  #count(): number {
    let weight = 0
    const tooHeavy = this.#waiting.findIndex(({ key }) => {
      weight += this.#weigh(key)
      return weight > weightMax
    })
    return Math.min(gatheredMax, tooHeavy < 0 ? this.#waiting.length : Math.max(tooHeavy, 1))
  }

  async #look(asked: readonly Asked<Key, Row>[]): Promise<void> {
    this.#underWay += 1
    try {
      const rows = await this.#load(asked.map(({ key }) => key))
      for (const [at, { resolve }] of asked.entries()) resolve(rows[at])
    } catch (error) {
      for (const { reject } of asked) reject(error)
    } finally {
      this.#underWay -= 1
      this.#plan()
    }
  }
}
