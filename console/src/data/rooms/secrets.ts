import type { Scope } from '@sandbox-jobs/contract/resources/companies/owner-scope.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { allPages } from '../api/all-pages.ts'
import { api } from '../api/api.ts'
import { apiAll, readAgain } from '../api/queries.ts'

/** Whom a value is stored for, as requests have it. */
export interface Consumer {
  consumer_scope: Scope
  consumer_id: string
}

/** The secrets that consumers have stored, one list for each of them, without their values. */
export const secretsOf = (consumers: readonly Consumer[]) =>
  queryOptions({
    queryKey: [allRoutes.listSecrets.path, consumers],
    queryFn: ({ signal }) =>
      Promise.all(
        consumers.map((consumer) =>
          allPages((query) => api.call(allRoutes.listSecrets, { query: { ...consumer, ...query }, signal })),
        ),
      ),
  })

/** The approvals by which a version may use secrets now, of consumers that the person manages. */
export const approvalsOf = (taskId: string, versionId: string) =>
  apiAll(allRoutes.listExtendedSecretApprovals, {
    params: { id: taskId },
    query: { task_version_id: versionId },
  })

/** Has all that depends on secrets read again. */
export const readSecretsAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [
    allRoutes.listSecrets,
    allRoutes.listExtendedSecretApprovals,
    allRoutes.readMenu,
    allRoutes.estimateRun,
  ])
