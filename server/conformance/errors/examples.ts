import type { Scene } from './provocation.ts'

export const makeTenantTask = ({ ids }: Scene) => ({
  name: 'New',
  owner_scope: 'department',
  owner_id: ids.department,
})

/** A run of the published version, under an idempotency key. */
export const submission = ({ ids }: Scene) => ({
  params: { cid: ids.room },
  body: { task_version_id: ids.taskVersion, input: {} as unknown },
  headers: { 'idempotency-key': 'once' },
})

export const draftOf = ({ ids }: Scene, fields: Record<string, unknown> = {}) => ({
  params: { id: ids.task },
  body: { environment_version_id: ids.readyVersion, work_script: 'true', ...fields },
})
