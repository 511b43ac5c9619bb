import type { ProviderProblem } from '@sandbox-jobs/contract/provider-sign-in.ts'

/** A sign-in at the identity provider came to nothing. */
export class ProviderFailure extends Error {
  /** As the sign-in page says it. */
  readonly problem: ProviderProblem
  /** As the log says it: a word of this service, never one of the provider. */
  readonly reason: string

  constructor(problem: ProviderProblem, reason: string) {
    super(reason)
    this.problem = problem
    this.reason = reason
  }
}
