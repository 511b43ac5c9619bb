import type { RefusalCause } from './refusal-causes.ts'

/** The executor has no record of that id. */
export class SandboxUnknown extends Error {
  constructor(id: string) {
    super(`no sandbox ${id}`)
    this.name = 'SandboxUnknown'
  }
}

/** The executor cannot be reached or violated its protocol; the call may or may not have had an effect. */
export class ExecutorUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExecutorUnavailable'
  }
}

/** The executor refuses a call: `slug` is the cause, the message says what to do. */
export class ExecutorRefused extends Error {
  readonly slug: RefusalCause
  constructor(slug: RefusalCause, message: string) {
    super(message)
    this.name = 'ExecutorRefused'
    this.slug = slug
  }
}
