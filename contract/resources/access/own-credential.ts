import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId } from '../../identifiers.ts'
import { Nullable } from '../../schema.ts'
import { ApiKey } from './api-key.ts'

/** The credential that a request is sent with, as far as the request may know it. */
export const OwnCredential = Type.Object({
  company_id: CompanyId,
  company_name: about('Name of the company.', Type.String(), 'Example Ltd'),
  api_key: about('The API key of the request, without its secret; null for a login.', Nullable(ApiKey)),
})
export type OwnCredential = Static<typeof OwnCredential>
