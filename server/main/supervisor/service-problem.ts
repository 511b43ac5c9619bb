/** Exit codes of `sandbox up`, as docs/operations/start.md lists them. */
export const exitCodes = {
  stopped: 0,
  failed: 1,
  configuration: 2,
  secondInstance: 3,
  portInUse: 4,
  toolMissing: 5,
  dataFolder: 6,
  otherWorker: 7,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Why the service does not start. The message says what the operator can do. */
export class ServiceProblem extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServiceProblem'
    this.exitCode = exitCode
  }
}

/** The documented meaning of a role's exit code; undefined for a crash, after which a retry makes sense. */
export const knownExitCode = (code: number | null): ExitCode | undefined =>
  Object.values(exitCodes).find((known) => known === code && known > exitCodes.failed)
