export type SchemaProblemSlug = 'schema_before_first_release' | 'schema_of_later_release'

/** This release cannot use the database. The message says what the operator can do. */
export class SchemaProblem extends Error {
  readonly slug: SchemaProblemSlug

  constructor(slug: SchemaProblemSlug, message: string) {
    super(message)
    this.name = 'SchemaProblem'
    this.slug = slug
  }
}
