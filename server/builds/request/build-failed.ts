import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { type BuildErrorCode, buildFailures } from '@sandbox-jobs/contract/resources/builds/build-failure.ts'

/** Ends a build with an error code; `detail` is one or more slugs joined with `;`. */
export class BuildFailed extends Error {
  readonly code: BuildErrorCode
  readonly detail: string
  /** The instruction of the Dockerfile that failed. */
  readonly instruction: FailedInstruction | undefined

  constructor(code: BuildErrorCode, detail = '', instruction?: FailedInstruction) {
    super(`build failed: ${code} ${detail}`)
    this.name = 'BuildFailed'
    this.code = code
    this.detail = detail
    this.instruction = instruction
  }

  /** The state in which the attempt ends. */
  get terminalClass() {
    return buildFailures[this.code].terminalClass
  }
}
