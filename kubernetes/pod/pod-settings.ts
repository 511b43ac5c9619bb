/** An executor of pods, as its operator set it up: the same for every pod. */
export interface PodSettings {
  /** The id of the executor. */
  executor: string
  /** Of the collector, by digest. */
  collectorImage: string
  /**
   * Between programs and the kernel of the node: a user namespace for each pod, or the sandbox of a runtime class. `none` is for tests:
   * user 0 does not start then.
   */
  boundary: { kind: 'user_namespace' } | { kind: 'runtime_class'; name: string } | { kind: 'none' }
  /** The listener of the workers for collectors. */
  gateway: { address: string; port: number; authority: string }
  /** A port of the gateway that no network policy allows: whoever reaches it runs without policies. */
  canaryPort: number
  /** Resolvers of pods that may reach public addresses. */
  resolvers: readonly string[]
  priorityClass?: string
}

/** Without rights in the cluster; its tokens prove to the gateway which pod asks. */
export const runnerAccount = 'sandbox-runner'

/** The audience of these tokens, which no API server accepts. */
export const runnerAudience = 'sandbox-runner'

/** Labels by which network policies and lists select pods. */
export const podLabels = {
  kind: 'sandbox-jobs/kind',
  executor: 'sandbox-jobs/executor',
  owner: 'sandbox-jobs/owner',
  public: 'sandbox-jobs/egress-public',
  service: 'sandbox-jobs/egress-service',
} as const
