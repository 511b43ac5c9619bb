export type SchemaProblemSlug = 'schema_too_old'

/** This release cannot use the database. The message tells the operator what to do. */
export class SchemaProblem extends Error {
  readonly slug: SchemaProblemSlug

  constructor(slug: SchemaProblemSlug, message: string) {
    super(message)
    this.name = 'SchemaProblem'
    this.slug = slug
  }
}
