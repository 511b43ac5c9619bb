import type { Row } from './row.ts'

export interface BenchOptions {
  /** Counted rounds. */
  rounds: number
  /** Runs in the queue, where it is long. */
  rows: number
  /** Also compare with what has to be installed first. */
  peers: boolean
  /** Also tell where the time goes. */
  profile: boolean
  /** Progress for whoever watches. */
  say: (line: string) => void
}

export interface Benchmark {
  name: string
  about: string
  run(options: BenchOptions): Promise<Row[]>
}
