/** Keys of one statement at most. */
const gatheredMax = 256
/** What the keys of one statement may weigh together; one alone may weigh more. */
const weightMax = 4 * 1024 * 1024
/** Statements under way at once, of which all but one only wait for their commit. */
const underWayMax = 2

/**
 * Answers the row of each key, in the order of the keys. It may tell before its end that all it still waits for is a
 * commit.
 */
type Load<Key, Row> = (keys: readonly Key[], committing: () => void) => Promise<readonly (Row | undefined)[]>

interface Asked<Key, Row> {
  key: Key
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Looks rows up by keys that many requests ask for at once, all keys of a moment in one statement: under load most of
 * what a small lookup costs is its way there and back. One statement is under way at a time; keys that come meanwhile
 * go together with the next, so that the busier it is, the less each costs. Work that ends with a commit may let the next
 * go while it waits for the disk.
 *
 * What is asked for is always read afterwards, never taken from a statement that was under way before: an answer is as
 * fresh as that of a statement of its own. Nothing is kept.
 */
export class Gathered<Key, Row> {
  readonly #load: Load<Key, Row>
  readonly #weigh: (key: Key) => number
  #waiting: Asked<Key, Row>[] = []
  /** From the plan of a statement until it lets the next go. */
  #busy = false
  #underWay = 0

  /** `weigh` tells the bytes of keys that carry some. */
  constructor(load: Load<Key, Row>, weigh: (key: Key) => number = () => 0) {
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
    if (this.#busy || this.#underWay >= underWayMax) return
    this.#busy = true
    setImmediate(() => void this.#look())
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

  async #look(): Promise<void> {
    const asked = this.#waiting.splice(0, this.#count())
    this.#underWay += 1
    let holds = true
    const letNext = () => {
      if (holds) this.#busy = false
      holds = false
      this.#next()
    }
    try {
      const keys = asked.map(({ key }) => key)
      const rows = await this.#load(keys, letNext).finally(() => {
        this.#underWay -= 1
        letNext()
      })
      for (const [at, { resolve }] of asked.entries()) resolve(rows[at])
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  /** Before anybody gets a row: the database works on the next statement while the answers of this one are made. */
  #next(): void {
    if (this.#busy || this.#underWay >= underWayMax || this.#waiting.length === 0) return
    this.#busy = true
    void this.#look()
  }
}
