import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
} from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Principal } from '../access/principal.ts'
import { CodedError, notFound } from '../base/errors/coded-error.ts'
import { invalid } from '../base/errors/validation-error.ts'
import { newId } from '../base/ids.ts'
import type { PageRequest } from '../base/page.ts'
import { definitionBytes, requireStorageQuota } from '../companies/storage/storage-quota.ts'
import { managedEnvironment } from '../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../environments/catalogue/environment-context.ts'
import { endException, findException, insertException, listExceptionRows } from './exception-store.ts'
import { renderException } from './finding.ts'
import { lockFinding, moveFinding } from './finding-store.ts'

/** Creates an exception for a finding of the current version. Findings that the operator has blocked are refused. */
export async function createException(
  context: EnvironmentContext,
  principal: Principal,
  path: { environmentId: string; findingId: string },
  body: SecurityExceptionCreateRequest,
): Promise<SecurityException> {
  const environment = await managedEnvironment(context.db, principal, 'finding.except', path.environmentId)
  const expiresAt = body.expires_at == null ? null : new Date(body.expires_at)
  if (expiresAt && !(expiresAt.getTime() > Date.now())) {
    throw invalid(['body', 'expires_at'], 'past', 'must be in the future')
  }
  return context.db.transaction().execute(async (trx) => {
    const finding = await lockFinding(trx, { ...path, companyId: principal.companyId })
    if (!finding) throw notFound()
    const left = await moveFinding(trx, finding, 'excepted', { from: ['discovered', 'reappeared'] })
    if (left === undefined) throw new CodedError('illegal_transition')
    await requireStorageQuota(trx, environment.company_id, definitionBytes.exception)
    const row = await insertException(trx, {
      id: newId('securityException'),
      company_id: environment.company_id,
      environment_id: environment.id,
      finding_id: finding.id,
      reason: body.reason,
      created_by: principal.principalId,
      expires_at: expiresAt,
      ended_at: null,
    })
    return renderException(row)
  })
}

/** Ends an exception. If the current version still has the finding, it returns to `discovered`. */
export async function revokeException(
  context: EnvironmentContext,
  principal: Principal,
  path: { environmentId: string; exceptionId: string },
): Promise<SecurityException> {
  await managedEnvironment(context.db, principal, 'finding.except', path.environmentId)
  const key = { ...path, companyId: principal.companyId }
  return context.db.transaction().execute(async (trx) => {
    const exception = await findException(trx, key)
    if (!exception) throw notFound()
    await lockFinding(trx, { ...key, findingId: exception.finding_id })
    const left = await endException(trx, exception, 'revoked')
    if (left === undefined) throw new CodedError('illegal_transition')
    await moveFinding(trx, { id: exception.finding_id, company_id: exception.company_id }, 'discovered', {
      from: ['excepted'],
    })
    const ended = await findException(trx, key)
    if (!ended) throw notFound()
    return renderException(ended)
  })
}

export async function listExceptions(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  query: PageRequest & { lifecycle?: Lifecycle },
): Promise<SecurityExceptionList> {
  await managedEnvironment(context.db, principal, 'environment.inspect', environmentId)
  const size = query.page_size ?? catalogPageSizeDefault
  const lifecycle = query.lifecycle ?? 'active'
  const list = `exceptions:${environmentId}:${lifecycle}`
  const cursor = context.pageTokens.read(list, query.page_token)
  const rows = await listExceptionRows(
    context.db,
    { companyId: principal.companyId, environmentId },
    {
      lifecycle,
      beforeId: cursor && String(cursor[0]),
      limit: size + 1,
    },
  )
  return context.pageTokens.page(list, rows, size, { item: renderException, cursor: (row) => [row.id] })
}
