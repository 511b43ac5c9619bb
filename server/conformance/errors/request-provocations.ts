import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { keysFolder } from '../../base/keys.ts'
import { createLog } from '../../base/logging.ts'
import { connect } from '../../db/database.ts'
import { makeTenantTask, submission } from './examples.ts'
import type { Provocations } from './provocation.ts'

const unreachableDatabase = 'postgres://nobody@127.0.0.1:1/none'

/** Requests as such, and the platform around the sandbox. */
export const requestProvocations: Provocations = {
  login_rate_limited: async (scene) => {
    const body = { username: 'guessed', password: 'wrong password' }
    for (let tries = 0; tries < 5; tries += 1) await scene.ask('nobody', allRoutes.createToken, { body })
    return scene.ask('nobody', allRoutes.createToken, { body })
  },
  insufficient_permissions: (scene) => scene.ask('member', allRoutes.readCompany),
  not_found: (scene) => scene.ask('member', allRoutes.readTask, { params: { id: 'nothing' } }),
  request_too_large: (scene) =>
    scene.ask('manager', allRoutes.createTask, {
      body: { ...makeTenantTask(scene), description: 'x'.repeat(256 * 1024) },
    }),
  idempotency_key_required: (scene) => {
    const { params, body } = submission(scene)
    return scene.ask('member', allRoutes.submitRun, { params, body })
  },
  idempotency_conflict: async (scene) => {
    const request = submission(scene)
    await scene.must('member', allRoutes.submitRun, request)
    return scene.ask('member', allRoutes.submitRun, { ...request, body: { ...request.body, input: 'other' } })
  },
  illegal_transition: (scene) =>
    scene.askTwice('manager', allRoutes.revokeShare, {
      params: { id: scene.ids.task, gid: scene.ids.share },
    }),
  no_fields: (scene) =>
    scene.ask('manager', allRoutes.updateTask, { params: { id: scene.ids.task }, body: {} }),
  database_unavailable: async (scene) => {
    const log = createLog('test', 'silent')
    const db = connect(unreachableDatabase, { poolSize: 1, log, name: 'test' })
    const route = allRoutes.readMe
    const answer = await scene.world.sendTo({ db }, 'member', route)
    await db.destroy()
    return { route, answer }
  },
  storage_quota_exceeded: async (scene) => {
    const { companyId } = scene.world.own
    const row = { company_id: companyId, kind: 'logs', bytes: 2 }
    await scene.db.insertInto('kept_byte_changes').values(row).execute()
    await scene.db.insertInto('storage_bounds').values({ company_bytes: 1 }).execute()
    return scene.ask('member', allRoutes.submitRun, submission(scene))
  },
  disk_space_low: async (scene) => {
    const route = allRoutes.submitRun
    const everything = { diskFloorBytes: Number.MAX_SAFE_INTEGER }
    return { route, answer: await scene.world.sendTo(everything, 'member', route, submission(scene)) }
  },
  sandbox_disabled: async (scene) => {
    const route = allRoutes.createTask
    const request = { body: makeTenantTask(scene) }
    return { route, answer: await scene.world.sendTo({ enabled: false }, 'manager', route, request) }
  },
  public_key_unavailable: async (scene) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
    mkdirSync(keysFolder(dataDir), { recursive: true })
    writeFileSync(join(keysFolder(dataDir), 'transit-rsa.pem'), 'no key')
    const route = allRoutes.readPublicKey
    const answer = await scene.world.sendTo({ dataDir }, 'nobody', route)
    rmSync(dataDir, { recursive: true })
    return { route, answer }
  },

  already_exists: (scene) =>
    scene.askTwice('administrator', allRoutes.createDepartment, { body: { name: 'Twice' } }),
  last_administrator: (scene) =>
    scene.ask('administrator', allRoutes.updateUser, {
      params: { id: scene.world.own.people.administrator.principalId },
      body: { role: 3 },
    }),
  managed_departments_invalid: (scene) =>
    scene.ask('administrator', allRoutes.createUser, {
      body: {
        login: 'somebody.new',
        password: 'correct horse battery',
        role: 2,
        managed_department_ids: [scene.world.foreign.ids.department],
      },
    }),
  allowed_chatrooms_invalid: (scene) =>
    scene.ask('administrator', allRoutes.createApiKey, { body: { name: 'No room', scope: 'sandbox' } }),
  policy_version_conflict: async (scene) => {
    const settings = await scene.must('companyManager', allRoutes.readSettings)
    return scene.ask('companyManager', allRoutes.updateSettings, {
      body: {
        run_content_retention_days: 30,
        unreferenced_image_retention_days: 30,
        allowed_regions: settings.selectable_regions,
        policy_version: Number(settings.policy_version) + 1,
      },
    })
  },
}
