import { gzipSync } from 'node:zlib'
import { exampleDigest } from '@sandbox-jobs/contract/digest.ts'
import { bundleMaxBytes, scriptMaxBytes, timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { defaultBounds, schemaThreads } from '../../../server/tasks/inputs/schema/schema-threads.ts'
import { draftOf, type ErrorScenarios, type ScenarioContext } from './error-scenario.ts'

const task = ({ ids }: ScenarioContext) => ({ id: ids.task })
const draft = ({ ids }: ScenarioContext) => ({ id: ids.task, vid: ids.draft })
const archiveTask = (context: ScenarioContext) =>
  context.sendOk('manager', allRoutes.archiveTask, { params: task(context) })

const script = (context: ScenarioContext, file: Buffer) =>
  context.send('manager', allRoutes.uploadScript, { params: task(context), file })
const bundle = (context: ScenarioContext, file: Buffer) =>
  context.send('manager', allRoutes.uploadBundle, { params: task(context), file })
const share = (context: ScenarioContext, body: Record<string, unknown>) =>
  context.send('manager', allRoutes.createShare, { params: task(context), body })

/** Fills the company's lane: slow checks on all threads that it may use, and as many queued checks as may wait. */
function fillSchemaLane(companyId: string): Promise<unknown>[] {
  const slow = { schema: '{"pattern":"^(?=a)(a+)+$"}', instance: JSON.stringify(`${'a'.repeat(40)}!`) }
  const quick = Array.from({ length: defaultBounds.laneWaitingMax }, () => ({ schema: '{}' }))
  const atWork = Array.from({ length: defaultBounds.threads - 1 }, () => slow)
  return [...atWork, ...quick].map((question) => schemaThreads.ask(companyId, question))
}

/** Errors of tasks, their versions and shares. */
export const taskScenarios: ErrorScenarios = {
  task_archived: async (context) => {
    await archiveTask(context)
    return context.send('manager', allRoutes.updateTask, { params: task(context), body: { name: 'Late' } })
  },
  draft_changed: (context) =>
    context.send('manager', allRoutes.updateTaskVersion, {
      params: draft(context),
      query: { if_digest: exampleDigest },
      body: { work_script: 'late' },
    }),
  already_archived: (context) =>
    context.sendTwice('manager', allRoutes.archiveTask, { params: task(context) }),
  environment_version_not_ready: (context) =>
    context.send(
      'manager',
      allRoutes.createTaskVersion,
      draftOf(context, { environment_version_id: context.ids.version }),
    ),
  job_contract_invalid: (context) =>
    context.send('manager', allRoutes.createTaskVersion, draftOf(context, { input_schema: 'no JSON' })),
  input_staging_unavailable: async (context) => {
    const waiting = fillSchemaLane(context.world.own.companyId)
    const answer = await context.send(
      'manager',
      allRoutes.createTaskVersion,
      draftOf(context, { input_schema: '{}' }),
    )
    await Promise.all(waiting)
    return answer
  },
  timeout_exceeds_ceiling: async (context) => {
    const body = { timeout_seconds: timeoutMaxSeconds }
    await context.sendOk('manager', allRoutes.updateTaskVersion, { params: draft(context), body })
    return context.send('manager', allRoutes.publishTaskVersion, { params: draft(context) })
  },
  script_too_large: (context) => script(context, Buffer.alloc(scriptMaxBytes + 1, 'x')),
  script_not_utf8: (context) => script(context, Buffer.from([0xff, 0xfe])),
  script_contains_nul: (context) => script(context, Buffer.from('a\0b')),
  bundle_too_large: (context) => bundle(context, Buffer.alloc(bundleMaxBytes + 1)),
  bundle_path_forbidden: (context) => bundle(context, gzipSync(tar({ name: 'work.sh', content: 'true' }))),
  bundle_invalid: (context) => bundle(context, Buffer.from('no archive')),
  task_bundle_runner_unsupported: async (context) => {
    const params = task(context)
    const file = gzipSync(tar({ name: 'data.txt', content: 'data' }))
    const { id: bundle_id } = await context.sendOk('manager', allRoutes.uploadBundle, { params, file })
    await context.sendOk('manager', allRoutes.updateTaskVersion, {
      params: draft(context),
      body: { bundle_id },
    })
    await context.db.updateTable('runner_releases').set({ approved_at: null, approved_by: null }).execute()
    return context.send('manager', allRoutes.publishTaskVersion, { params: draft(context) })
  },
  share_already_live: (context) => share(context, { target_kind: 'chatroom', target_id: context.ids.room }),
  share_target_invalid: (context) =>
    share(context, { target_kind: 'department', target_id: context.world.foreign.ids.department }),
  secret_slot_policies_invalid: (context) =>
    share(context, {
      target_kind: 'department',
      target_id: context.ids.department,
      secret_slot_policies: { TOKEN: 'nobody' },
    }),
  task_not_shared_to_room: async (context) => {
    await context.sendOk('manager', allRoutes.revokeShare, {
      params: { ...task(context), gid: context.ids.share },
    })
    return context.send('manager', allRoutes.enableGrantedJob, {
      params: { cid: context.ids.room, tid: context.ids.task },
    })
  },
}
