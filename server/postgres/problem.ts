export type PostgresProblemSlug =
  | 'program_missing'
  | 'account_missing'
  | 'folder_unusable'
  | 'version_mismatch'
  | 'already_running'
  | 'port_in_use'
  | 'start_failed'

/** Why the embedded Postgres cannot run here. The message is for the operator and says how to fix it. */
export class PostgresProblem extends Error {
  readonly slug: PostgresProblemSlug

  constructor(slug: PostgresProblemSlug, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PostgresProblem'
    this.slug = slug
  }
}
