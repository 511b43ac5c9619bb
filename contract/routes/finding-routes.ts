import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import { ScanReport } from '../resources/scan-report.ts'
import {
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
  SecurityFindingList,
  severities,
} from '../resources/security-finding.ts'
import { Strict } from '../schema.ts'
import { findingStates } from '../states/finding-states.ts'
import { BuildParams } from './environment-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const environment = `${extensionPrefix}/environments/{id}` as const
const build = `${environment}/versions/{vid}/builds/{aid}` as const
const EnvironmentParams = Strict({ id: Identifier })

/** All of them are for who manages the environment; to everybody else it is not there. */
const managed = { tag: 'Security', access: 'tenant', restrictedKey: 403 } as const

/** What the scan of a build found, and what becomes of it (contract part 3, D6). */
export const findingRoutes = {
  readScanReport: route({
    ...managed,
    method: 'GET',
    path: `${build}/report`,
    summary: 'Report of the scan of a build',
    params: BuildParams,
    response: ScanReport,
    errors: ['not_found'],
  }),
  readSbom: route({
    ...managed,
    method: 'GET',
    path: `${build}/sbom`,
    summary: 'Packages in the image of a build, as CycloneDX 1.6 JSON',
    params: BuildParams,
    errors: ['not_found'],
  }),
  listFindings: route({
    ...managed,
    method: 'GET',
    path: `${environment}/findings`,
    summary: 'List the security findings of an environment, the most severe first',
    params: EnvironmentParams,
    query: Type.Object({
      ...pageFields(catalogPageSizeDefault),
      state: repeatable(findingStates),
      severity: repeatable(severities),
    }),
    response: SecurityFindingList,
    errors: ['not_found'],
  }),
  listExceptions: route({
    ...managed,
    method: 'GET',
    path: `${environment}/exceptions`,
    summary: 'List the exceptions of an environment',
    params: EnvironmentParams,
    query: listQuery(catalogPageSizeDefault),
    response: SecurityExceptionList,
    errors: ['not_found'],
  }),
  createException: route({
    ...managed,
    method: 'POST',
    path: `${environment}/findings/{fid}/exceptions`,
    summary: 'Accept a finding, for a time or until it is revoked',
    params: Strict({ id: Identifier, fid: Identifier }),
    body: SecurityExceptionCreateRequest,
    response: SecurityException,
    errors: ['not_found', 'illegal_transition'],
  }),
  revokeException: route({
    ...managed,
    method: 'POST',
    path: `${environment}/exceptions/{xid}/revoke`,
    summary: 'End an exception',
    params: Strict({ id: Identifier, xid: Identifier }),
    response: SecurityException,
    errors: ['not_found', 'illegal_transition'],
  }),
}
