import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import { approvalRoutes } from '@sandbox-jobs/contract/routes/approval-routes.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { createApproval, revokeApproval } from '../../../secrets/approvals/approval-service.ts'
import { listTaskApprovals } from '../../../secrets/approvals/list-approvals.ts'
import { approveNextVersions, listTaskExtendedApprovals } from '../../../secrets/approvals/next-versions.ts'
import type { SecretContext } from '../../../secrets/secret-context.ts'
import {
  listConsumerSecrets,
  listTaskSecrets,
  readSecret,
  type SecretListRequest,
} from '../../../secrets/write/list-secrets.ts'
import { createSecret, revokeSecret, rotateSecret } from '../../../secrets/write/write-secret.ts'
import type { Mount } from '../../mount.ts'

/** Validation has set the defaults; types do not know it. */
const listRequest = (query: {
  page_size?: number
  page_token?: string
  lifecycle?: Lifecycle
}): SecretListRequest => ({
  page_size: query.page_size ?? catalogPageSizeDefault,
  page_token: query.page_token,
  lifecycle: query.lifecycle ?? 'active',
})

/** Secrets and approvals (contract part 2). */
export function mountSecretRoutes(mount: Mount, context: SecretContext): void {
  mount(secretRoutes.createSecret, (call) => createSecret(context, call))
  mount(secretRoutes.rotateSecret, (call) => rotateSecret(context, call))
  mount(secretRoutes.revokeSecret, (call) => revokeSecret(context, call))
  mount(secretRoutes.readSecret, ({ principal, params }) => readSecret(context, principal, params.id))
  mount(secretRoutes.listSecrets, ({ principal, query }) => {
    const consumer = { scope: query.consumer_scope, id: query.consumer_id }
    const requested = { consumer, taskId: query.task_id, slotName: query.slot_name }
    return listConsumerSecrets(context, principal, requested, listRequest(query))
  })
  mount(secretRoutes.listTaskSecrets, ({ principal, params, query }) =>
    listTaskSecrets(context, principal, { taskId: params.id, request: listRequest(query) }),
  )
  mountApprovalRoutes(mount, context)
}

function mountApprovalRoutes(mount: Mount, context: SecretContext): void {
  for (const route of [secretRoutes.createSecretApproval, secretRoutes.createSharedTaskSecretApproval])
    mount(route, ({ principal, body }) => createApproval(context, principal, body))
  for (const route of [secretRoutes.revokeSecretApproval, secretRoutes.revokeSharedTaskSecretApproval])
    mount(route, ({ principal, params, body }) =>
      revokeApproval(context, principal, { id: params.id, reason: body.reason ?? 'revoked' }),
    )
  mount(secretRoutes.listTaskSecretApprovals, ({ principal, params, query }) =>
    listTaskApprovals(context, principal, { taskId: params.id, request: listRequest(query) }),
  )
  mount(approvalRoutes.approveNextVersions, ({ principal, body }) =>
    approveNextVersions(context, principal, body),
  )
  mount(approvalRoutes.listExtendedSecretApprovals, ({ principal, params, query }) =>
    listTaskExtendedApprovals(context, principal, {
      taskId: params.id,
      versionId: query.task_version_id,
      request: listRequest(query),
    }),
  )
}
