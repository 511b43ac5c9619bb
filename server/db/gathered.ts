/** Keys of one statement at most. */
const gatheredMax = 256
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
  #waiting: Asked<Key, Row>[] = []
  #underWay = 0
  #planned = false

  /** `load` answers the row of each key, in the order of the keys. */
  constructor(load: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>) {
    this.#load = load
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
      void this.#look(this.#waiting.splice(0, gatheredMax))
      this.#plan()
    })
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
