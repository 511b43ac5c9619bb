/** Keeps what was set or asked for last: at least `keptMin` values, or all there were, and at most twice as many. */
export class RecentMap<Value> {
  readonly #keptMin: number
  #recent = new Map<string, Value>()
  /** What was recent before; of it, what is asked for stays. */
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
