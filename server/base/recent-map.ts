/** Keeps the most recently used values: at least `keptMin`, or all if there are fewer, and at most twice as many. */
export class RecentMap<Value> {
  readonly #keptMin: number
  #recent = new Map<string, Value>()
  /** The previous generation; values read from it move to the present one. */
  #earlier = new Map<string, Value>()

  constructor(keptMin: number) {
    this.#keptMin = keptMin
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const earlier = this.#earlier.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#keptMin && !this.#recent.has(key)) {
      this.#earlier = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }
}
