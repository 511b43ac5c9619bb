import type { OwnCredential } from '@sandbox-jobs/contract/resources/access/own-credential.ts'
import type { Platform } from '../access/directory/platform.ts'
import { findOwnApiKey } from '../access/keys/api-keys.ts'
import type { Principal } from '../access/principal.ts'
import { notFound } from '../base/errors/coded-error.ts'
import { findCompany } from './company-store.ts'

/** The company of the caller, and the API key that the request was sent with. */
export async function readOwnCredential(platform: Platform, principal: Principal): Promise<OwnCredential> {
  const company = await findCompany(platform.db, principal.companyId)
  if (!company) throw notFound()
  return {
    company_id: company.id,
    company_name: company.name,
    api_key: await findOwnApiKey(platform, principal),
  }
}
