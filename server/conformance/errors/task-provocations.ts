import { gzipSync } from 'node:zlib'
import { bundleMaxBytes, scriptMaxBytes, timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { tar } from '../../builds/archive/archive-fixtures.ts'
import { defaultBounds } from '../../tasks/input-schema/schema-threads.ts'
import { schemaThreads } from '../../tasks/input-schema/shared-threads.ts'
import { draftOf } from './examples.ts'
import type { Provocations, Scene } from './provocation.ts'

const task = ({ ids }: Scene) => ({ id: ids.task })
const draft = ({ ids }: Scene) => ({ id: ids.task, vid: ids.draft })
const archiveTask = (scene: Scene) => scene.must('manager', allRoutes.archiveTask, { params: task(scene) })

const script = (scene: Scene, file: Buffer) =>
  scene.ask('manager', allRoutes.uploadScript, { params: task(scene), file })
const bundle = (scene: Scene, file: Buffer) =>
  scene.ask('manager', allRoutes.uploadBundle, { params: task(scene), file })
const share = (scene: Scene, body: Record<string, unknown>) =>
  scene.ask('manager', allRoutes.createShare, { params: task(scene), body })

/** As many checks that take all the time they may as one company may have at work, and as many behind as may wait. */
function fillSchemaLane(companyId: string): Promise<unknown>[] {
  const slow = { schema: '{"pattern":"^(?=a)(a+)+$"}', instance: { value: `${'a'.repeat(40)}!` } }
  const quick = Array.from({ length: defaultBounds.laneWaitingMax }, () => ({ schema: '{}' }))
  const atWork = Array.from({ length: defaultBounds.threads - 1 }, () => slow)
  return [...atWork, ...quick].map((question) => schemaThreads.ask(companyId, question))
}

/** Tasks, their versions and shares. */
export const taskProvocations: Provocations = {
  task_archived: async (scene) => {
    await archiveTask(scene)
    return scene.ask('manager', allRoutes.updateTask, { params: task(scene), body: { name: 'Late' } })
  },
  already_archived: (scene) => scene.askTwice('manager', allRoutes.archiveTask, { params: task(scene) }),
  environment_version_not_ready: (scene) =>
    scene.ask(
      'manager',
      allRoutes.createTaskVersion,
      draftOf(scene, { environment_version_id: scene.ids.version }),
    ),
  job_contract_invalid: (scene) =>
    scene.ask('manager', allRoutes.createTaskVersion, draftOf(scene, { input_schema: 'no JSON' })),
  input_staging_unavailable: async (scene) => {
    const waiting = fillSchemaLane(scene.world.own.companyId)
    const answer = await scene.ask(
      'manager',
      allRoutes.createTaskVersion,
      draftOf(scene, { input_schema: '{}' }),
    )
    await Promise.all(waiting)
    return answer
  },
  timeout_exceeds_ceiling: async (scene) => {
    const body = { timeout_seconds: timeoutMaxSeconds }
    await scene.must('manager', allRoutes.updateTaskVersion, { params: draft(scene), body })
    return scene.ask('manager', allRoutes.publishTaskVersion, { params: draft(scene) })
  },
  script_too_large: (scene) => script(scene, Buffer.alloc(scriptMaxBytes + 1, 'x')),
  script_not_utf8: (scene) => script(scene, Buffer.from([0xff, 0xfe])),
  script_contains_nul: (scene) => script(scene, Buffer.from('a\0b')),
  bundle_too_large: (scene) => bundle(scene, Buffer.alloc(bundleMaxBytes + 1)),
  bundle_path_forbidden: (scene) => bundle(scene, gzipSync(tar({ name: 'work.sh', content: 'true' }))),
  bundle_invalid: (scene) => bundle(scene, Buffer.from('no archive')),
  task_bundle_runner_unsupported: async (scene) => {
    const params = task(scene)
    const file = gzipSync(tar({ name: 'data.txt', content: 'data' }))
    const { id: bundle_id } = await scene.must('manager', allRoutes.uploadBundle, { params, file })
    await scene.must('manager', allRoutes.updateTaskVersion, { params: draft(scene), body: { bundle_id } })
    await scene.db.updateTable('runner_releases').set({ approved_at: null, approved_by: null }).execute()
    return scene.ask('manager', allRoutes.publishTaskVersion, { params: draft(scene) })
  },
  share_already_live: (scene) => share(scene, { target_kind: 'chatroom', target_id: scene.ids.room }),
  share_target_invalid: (scene) =>
    share(scene, { target_kind: 'department', target_id: scene.world.foreign.ids.department }),
  secret_slot_policies_invalid: (scene) =>
    share(scene, {
      target_kind: 'department',
      target_id: scene.ids.department,
      secret_slot_policies: { TOKEN: 'nobody' },
    }),
  task_not_shared_to_room: async (scene) => {
    await scene.must('manager', allRoutes.revokeShare, { params: { ...task(scene), gid: scene.ids.share } })
    return scene.ask('manager', allRoutes.enableGrantedJob, {
      params: { cid: scene.ids.room, tid: scene.ids.task },
    })
  },
}
