import type { Executing } from '../db/database.ts'

export async function findRunnableVersion(db: Executing, companyId: string, versionId: string) {
  return db
    .selectFrom('environment_versions as v')
    .innerJoin('environments as e', 'e.id', 'v.environment_id')
    .where('v.id', '=', versionId)
    .where((eb) => eb.or([eb('v.company_id', '=', companyId), eb('v.company_id', 'is', null)]))
    .select((eb) => [
      'v.id',
      'v.environment_id',
      'e.name as environment_name',
      'v.resource_profile',
      'v.state',
      eb
        .case()
        .when('e.security_state', '=', 'blocked')
        .then('blocked')
        .else(eb.ref('v.security_state'))
        .end()
        .as('security_state'),
      'v.layer_digest',
      'v.image_config',
      'v.promoted_digest',
    ])
    .executeTakeFirst()
}
