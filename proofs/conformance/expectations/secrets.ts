import type { Seed } from '../seed/seed.ts'
import { type Expectation, exampleKey } from './expectation.ts'

const consumerOf = (ids: Seed['ids']) => ({
  consumer_scope: 'chatroom',
  consumer_id: ids.room,
  task_id: ids.task,
})
const secretBody =
  (slot_name: string) =>
  ({ ids, envelope }: Seed) => ({ ...consumerOf(ids), slot_name, encrypted_value: envelope })
const approvalBody = ({ ids, versionDigest }: Seed) => ({
  ...consumerOf(ids),
  task_version_id: ids.newerTaskVersion,
  task_version_digest: versionDigest,
  slot_names: ['OTHER'],
  risk_accepted: true,
})

const nextVersionsBody = (seed: Seed) => ({
  ...approvalBody(seed),
  next_versions_until: new Date(Date.now() + 86_400_000).toISOString(),
})

export const secrets: Record<string, Expectation> = {
  createSecret: { body: secretBody('OTHER'), headers: exampleKey },
  rotateSecret: { body: secretBody('TOKEN'), headers: exampleKey },
  revokeSecret: {
    body: ({ ids }) => ({ ...consumerOf(ids), slot_name: 'TOKEN' }),
    headers: exampleKey,
  },
  readSecret: {},
  listSecrets: {
    queryOf: ({ ids }) => ({ consumer_scope: 'chatroom', consumer_id: ids.room }),
  },
  listTaskSecrets: {},
  createSecretApproval: { body: approvalBody },
  revokeSecretApproval: {},
  createSharedTaskSecretApproval: { body: approvalBody },
  revokeSharedTaskSecretApproval: {},
  listTaskSecretApprovals: {},
  approveNextVersions: { body: nextVersionsBody },
  listExtendedSecretApprovals: {},
}
