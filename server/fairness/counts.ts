/** Numbers by key, from 0. A key whose number is 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>()
  #sum = 0

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** Of all keys together. */
  get sum(): number {
    return this.#sum
  }

  add(key: string, by: number): void {
    const count = this.of(key) + by
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
    this.#sum += by
  }

  entries(): IterableIterator<[key: string, count: number]> {
    return this.#counts.entries()
  }
}
