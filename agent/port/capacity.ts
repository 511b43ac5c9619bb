/** The size of an executor, and its use. */
export interface CapacityPort {
  capacity(): Promise<ExecutorCapacity>
}

export interface ExecutorCapacity {
  cpus: number
  /** Memory limit of all sandboxes together. */
  memoryBytes: number
  /** Sandboxes that may run at once. */
  slots: number
  running: number
  /** Starts since the start of the executor that found a warm sandbox, and that did not. */
  warmStarts: { hits: number; misses: number }
}
