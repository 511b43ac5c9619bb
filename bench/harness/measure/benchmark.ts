import type { Row } from './row.ts'

export interface BenchOptions {
  /** Rounds that count. */
  rounds: number
  /** Runs in the long queue. */
  rows: number
  /** Also compares with peers that have to be installed first. */
  peers: boolean
  /** Also prints where the time goes. */
  profile: boolean
  /** Reports progress. */
  say: (line: string) => void
}

export interface Benchmark {
  name: string
  about: string
  run(options: BenchOptions): Promise<Row[]>
}
