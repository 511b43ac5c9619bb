import { chmodSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { secretsPerConsumerTaskMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { newId } from '../../../server/base/ids.ts'
import { keysFolder } from '../../../server/base/keys/keys.ts'
import { secretKeysFolder } from '../../../server/secrets/keys/local-keys.ts'
import type { ErrorScenarios, ScenarioContext, ScenarioResponse } from './error-scenario.ts'

const consumer = ({ ids }: ScenarioContext) => ({
  consumer_scope: 'chatroom',
  consumer_id: ids.room,
  task_id: ids.task,
})
const write = (context: ScenarioContext): Promise<ScenarioResponse> =>
  context.send('manager', allRoutes.createSecret, {
    body: { ...consumer(context), slot_name: 'OTHER', encrypted_value: context.world.own.envelope },
    headers: { 'idempotency-key': 'once' },
  })
const approve = (context: ScenarioContext, pinned: Record<string, unknown>): Promise<ScenarioResponse> =>
  context.send('manager', allRoutes.createSecretApproval, {
    body: {
      ...consumer(context),
      task_version_id: context.ids.newerTaskVersion,
      task_version_digest: `sha256:${'0'.repeat(64)}`,
      slot_names: ['TOKEN'],
      risk_accepted: true,
      ...pinned,
    },
  })

const approveNext = (context: ScenarioContext, next_versions_until: string): Promise<ScenarioResponse> =>
  context.send('manager', allRoutes.approveNextVersions, {
    body: {
      ...consumer(context),
      task_version_id: context.ids.newerTaskVersion,
      task_version_digest: context.world.own.versionDigest,
      slot_names: ['TOKEN'],
      risk_accepted: true,
      next_versions_until,
    },
  })

/** The database is rewound after each scenario; files are not. */
async function whileChanged(
  context: ScenarioContext,
  { change, undo }: { change: () => void; undo: () => void },
): Promise<ScenarioResponse> {
  change()
  try {
    return await write(context)
  } finally {
    undo()
  }
}

/** Errors of secrets and approvals. */
export const secretScenarios: ErrorScenarios = {
  task_version_not_published: (context) => approve(context, { task_version_id: context.ids.draft }),
  task_version_digest_mismatch: (context) => approve(context, {}),
  secret_limit_reached: async (context) => {
    const { room, task } = context.ids
    const secrets = Array.from({ length: secretsPerConsumerTaskMax }, (_, index) => ({
      id: newId('secretBinding'),
      company_id: context.world.own.companyId,
      consumer_scope: 'chatroom',
      consumer_id: room,
      task_id: task,
      slot_name: `SLOT_${index}`,
      generation: 1,
      state: 'active',
      created_by: 'test',
    }))
    await context.db.insertInto('secret_bindings').values(secrets).execute()
    return write(context)
  },
  next_versions_until_invalid: (context) => approveNext(context, '2020-01-01T00:00:00Z'),
  version_author_left: async (context) => {
    const { companyId } = context.world.own
    const author = { created_by: 'usr_gone' }
    const { newerTaskVersion: id } = context.ids
    const versions = context.db.updateTable('task_versions').set(author)
    await versions.where('id', '=', id).where('company_id', '=', companyId).execute()
    return approveNext(context, new Date(Date.now() + 86_400_000).toISOString())
  },
  sandbox_secret_pepper_missing: (context) => {
    const path = join(keysFolder(context.world.folder), 'secret-pepper.key')
    return whileChanged(context, { change: () => chmodSync(path, 0o644), undo: () => chmodSync(path, 0o600) })
  },
  sandbox_vault_unconfigured: (context) => {
    const path = join(secretKeysFolder(context.world.folder), '1.key')
    return whileChanged(context, {
      change: () => renameSync(path, `${path}.away`),
      undo: () => renameSync(`${path}.away`, path),
    })
  },
}
