import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { SeedScope, SeedTools } from './seed-tools.ts'

export async function makeTask(tools: SeedTools, scope: SeedScope, environmentVersion: string) {
  const { sendOk } = tools
  const { manager, department, room } = scope
  const owner = { owner_scope: 'department', owner_id: department }
  const task = String(
    (await sendOk(manager, allRoutes.createTask, { body: { name: 'Report', ...owner } })).id,
  )
  const params = { id: task }
  const body = { environment_version_id: environmentVersion, work_script: 'true' }
  const write = async () => String((await sendOk(manager, allRoutes.createTaskVersion, { params, body })).id)
  const publish = async (vid: string) => {
    await sendOk(manager, allRoutes.publishTaskVersion, { params: { ...params, vid } })
    return vid
  }
  const taskVersion = await publish(await write())
  const target = { target_kind: 'chatroom', target_id: room }
  const share = await sendOk(manager, allRoutes.createShare, { params, body: target })
  const enabled = await sendOk(manager, allRoutes.enableGrantedJob, { params: { cid: room, tid: task } })
  const newerTaskVersion = await publish(await write())
  const draft = await write()
  return {
    task,
    taskVersion,
    newerTaskVersion,
    draft,
    share: String(share.id),
    binding: String(enabled.binding_id),
  }
}

export async function makeSecrets(
  tools: SeedTools,
  made: SeedScope & { task: string; newerTaskVersion: string },
) {
  const { sendOk } = tools
  const { manager, room, task, newerTaskVersion } = made
  const { public_key_pem } = await sendOk(manager, allRoutes.readPublicKey, {})
  const encrypted = () => encryptSecret({ public_key_pem: String(public_key_pem) }, 'an example')
  const consumer = { consumer_scope: 'chatroom', consumer_id: room, task_id: task }
  const secret = (await sendOk(manager, allRoutes.createSecret, {
    body: { ...consumer, slot_name: 'TOKEN', encrypted_value: await encrypted() },
    headers: { 'idempotency-key': 'example' },
  })) as { binding: { id: string } }
  const params = { id: task, vid: newerTaskVersion }
  const versionDigest = String(
    (await sendOk(manager, allRoutes.readTaskVersion, { params })).canonical_digest,
  )
  const pinned = { task_version_id: newerTaskVersion, task_version_digest: versionDigest }
  const approval = await sendOk(manager, allRoutes.createSecretApproval, {
    body: { ...consumer, ...pinned, slot_names: ['TOKEN'], risk_accepted: true },
  })
  const ids = { secret: secret.binding.id, secretApproval: String(approval.id) }
  return { envelope: await encrypted(), versionDigest, ids }
}
