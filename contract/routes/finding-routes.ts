import { Type } from 'typebox'
import { about } from '../about.ts'
import { EnvironmentId, ExceptionId, FindingId } from '../identifiers.ts'
import { catalogPageSizeDefault, findingHistoryDays } from '../limits.ts'
import { listQuery, pageFields, repeatable } from '../pagination.ts'
import { ScanReport } from '../resources/builds/scan-report.ts'
import {
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
  SecurityFindingList,
} from '../resources/builds/security-finding.ts'
import { Strict } from '../schema.ts'
import { severities } from '../severities.ts'
import { findingStates } from '../states/finding-states.ts'
import { BuildParams } from './environment-routes.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const environment = `${extensionPrefix}/environments/{id}` as const
const build = `${environment}/versions/{vid}/builds/{aid}` as const
const EnvironmentParams = Strict({ id: EnvironmentId })

/** For managers of the environment; other callers get 404. */
const managed = { tag: 'Security' } as const

/** Findings of a build's scan and their exceptions (contract part 3, D6). */
export const findingRoutes = {
  readScanReport: route({
    action: 'environment.inspect',
    ...managed,
    method: 'GET',
    path: `${build}/report`,
    summary: 'Read the scan report of a build',
    description:
      'Packages, known vulnerabilities, secrets in files and risky modes. No finding fails a build.',
    params: BuildParams,
    response: ScanReport,
    errors: ['not_found'],
  }),
  readSbom: route({
    action: 'environment.inspect',
    ...managed,
    method: 'GET',
    path: `${build}/sbom`,
    summary: 'Read the packages in the image of a build, as CycloneDX 1.6 JSON',
    description: 'For tools that compare packages with their own database.',
    params: BuildParams,
    errors: ['not_found', 'downloads_busy'],
  }),
  listFindings: route({
    action: 'environment.inspect',
    ...managed,
    method: 'GET',
    path: `${environment}/findings`,
    summary: 'List the security findings of an environment, the most severe first',
    description: `Findings of the scans of all versions, one item for each finding over time. A finding is removed ${findingHistoryDays} days after it was resolved, unless it has an exception or the operator has blocked it.`,
    params: EnvironmentParams,
    query: Type.Object({
      ...pageFields(catalogPageSizeDefault),
      state: about('Only findings in one of these states.', repeatable(findingStates)),
      severity: about('Only findings of these severities.', repeatable(severities)),
    }),
    response: SecurityFindingList,
    errors: ['not_found'],
  }),
  listExceptions: route({
    action: 'environment.inspect',
    ...managed,
    method: 'GET',
    path: `${environment}/exceptions`,
    summary: 'List the exceptions of an environment',
    description: `Accepted findings: by whom, why, and until when. An exception is removed ${findingHistoryDays} days after it ended.`,
    params: EnvironmentParams,
    query: listQuery(catalogPageSizeDefault),
    response: SecurityExceptionList,
    errors: ['not_found'],
  }),
  createException: route({
    action: 'finding.except',
    ...managed,
    method: 'POST',
    path: `${environment}/findings/{fid}/exceptions`,
    summary: 'Accept a finding, for a time or until it is revoked',
    description:
      'The finding stays in the list, in the state `excepted`. A finding that the operator has blocked cannot be accepted.',
    params: Strict({ id: EnvironmentId, fid: FindingId }),
    body: SecurityExceptionCreateRequest,
    response: SecurityException,
    errors: ['not_found', 'illegal_transition', 'storage_quota_exceeded', 'disk_space_low'],
  }),
  revokeException: route({
    action: 'finding.except',
    ...managed,
    method: 'POST',
    path: `${environment}/exceptions/{xid}/revoke`,
    summary: 'Revoke an exception',
    description: 'The finding counts again.',
    params: Strict({ id: EnvironmentId, xid: ExceptionId }),
    response: SecurityException,
    errors: ['not_found', 'illegal_transition'],
  }),
}
