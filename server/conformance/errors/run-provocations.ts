import {
  onPremisesCompanyQueueLimitDefault,
  onPremisesFleetQueueLimitDefault,
} from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { makeRun } from '../../testing/factories/runs.ts'
import type { Estate } from '../estate.ts'
import { submission } from './examples.ts'
import type { Provocations, Scene } from './provocation.ts'

const submit = (scene: Scene, fields: Record<string, unknown> = {}) => {
  const request = submission(scene)
  return scene.ask('member', allRoutes.submitRun, { ...request, body: { ...request.body, ...fields } })
}

/** Fills a company's queue up to `depth`. */
async function queue(scene: Scene, { companyId, ids }: Estate, depth: number): Promise<void> {
  const pins = {
    companyId,
    taskId: ids.task,
    versionId: ids.taskVersion,
    environmentVersionId: ids.readyVersion,
    shareGrantId: ids.share,
  }
  // One is there already.
  for (let queued = 1; queued < depth; queued += 1) {
    await makeRun(scene.db, pins, { chatroom_id: ids.room })
  }
}

const changeVersion = (scene: Scene, set: { content_state?: string; input_schema?: string }) =>
  scene.db.updateTable('task_versions').set(set).where('id', '=', scene.ids.taskVersion).execute()

/** Runs. */
export const runProvocations: Provocations = {
  version_not_runnable: (scene) => submit(scene, { task_version_id: scene.ids.draft }),
  content_scrubbed_irreversible: async (scene) => {
    await changeVersion(scene, { content_state: 'scrubbed' })
    return submit(scene)
  },
  input_schema_violation: async (scene) => {
    await changeVersion(scene, { input_schema: '{"type":"array"}' })
    return submit(scene)
  },
  no_active_region: async (scene) => {
    await scene.must('companyManager', allRoutes.readSettings)
    await scene.db
      .updateTable('company_settings')
      .set({ allowed_regions: ['asia-east1'] })
      .execute()
    return submit(scene)
  },
  retry_input_unavailable: async (scene) => {
    await scene.db.deleteFrom('run_inputs').where('run_id', '=', scene.ids.run).execute()
    return scene.ask('member', allRoutes.retryRun, {
      params: { cid: scene.ids.room, rid: scene.ids.run },
      headers: { 'idempotency-key': 'once' },
    })
  },
  range_not_satisfiable: async (scene) => {
    const params = { cid: scene.ids.room, rid: scene.ids.run }
    const { token } = await scene.must('member', allRoutes.mintLogLink, { params })
    return scene.ask('nobody', allRoutes.downloadByToken, {
      params: { token: String(token) },
      headers: { range: 'bytes=1000000000-' },
    })
  },
  sandbox_queued_run_limit: async (scene) => {
    await queue(scene, scene.world.own, onPremisesCompanyQueueLimitDefault)
    return submit(scene)
  },
  queue_full: async (scene) => {
    await queue(scene, scene.world.foreign, onPremisesFleetQueueLimitDefault - 1)
    return submit(scene)
  },
}
