export type SchemaProblemSlug = 'schema_too_old'

/** Why this release cannot work on a database. The message is for the operator and says what to do. */
export class SchemaProblem extends Error {
  readonly slug: SchemaProblemSlug

  constructor(slug: SchemaProblemSlug, message: string) {
    super(message)
    this.name = 'SchemaProblem'
    this.slug = slug
  }
}
