import { Type } from 'typebox'
import { about } from '../about.ts'
import { TaskVersionId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import {
  ExtendedSecretApproval,
  ExtendedSecretApprovalList,
  NextVersionsRequest,
} from '../resources/secrets/extended-secret-approval.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { approvalErrors } from './secret-routes.ts'
import { TaskParams } from './task-routes.ts'

const tenant = { tag: 'Secrets' } as const

/** Approvals that cover the next versions of a task (contract part 3, D6). */
export const approvalRoutes = {
  approveNextVersions: route({
    ...tenant,
    action: 'secret.approve_next',
    method: 'POST',
    path: `${extensionPrefix}/secret-approvals`,
    summary: 'Approve a version of a task, and its next versions by the same author for a time',
    description:
      'As createSecretApproval, for who manages both the task and the consumer. Until `next_versions_until`, at most 90 days ahead, it also counts for newer versions that the author of this version wrote alone and whose slots are the same, in rooms that the task still reaches by the same share. It ends when a version of another author or with other slots is published, when the share changes, when the author or who approved loses the right to it, and with revokeSecretApproval. The approved version stays approved. Approve again to cover the versions for longer.',
    body: NextVersionsRequest,
    response: ExtendedSecretApproval,
    errors: [
      ...approvalErrors,
      'next_versions_until_invalid',
      'version_author_left',
      'task_not_shared_to_room',
    ],
  }),
  listExtendedSecretApprovals: route({
    ...tenant,
    action: 'task.read',
    method: 'GET',
    path: `${extensionPrefix}/tasks/{id}/secret-approvals`,
    summary: 'List the approvals of a task with the next versions that they cover',
    description:
      'As listTaskSecretApprovals. With `task_version_id` only the active ones by which that version may use secrets now.',
    params: TaskParams,
    query: Type.Object({
      task_version_id: about('Only approvals that count for this version.', Type.Optional(TaskVersionId)),
      ...listQuery(catalogPageSizeDefault).properties,
    }),
    response: ExtendedSecretApprovalList,
    errors: ['not_found'],
  }),
}
