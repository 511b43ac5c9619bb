import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { keysFolder } from '../../../server/base/keys/keys.ts'
import { createLog } from '../../../server/base/logging.ts'
import { connect } from '../../../server/db/database.ts'
import { type ErrorScenarios, makeTenantTask, submission } from './error-scenario.ts'

const unreachableDatabase = 'postgres://nobody@127.0.0.1:1/none'

/** Errors of requests in general, and of accounts and settings. */
export const requestScenarios: ErrorScenarios = {
  login_rate_limited: async (context) => {
    const body = { username: 'guessed', password: 'wrong password' }
    for (let tries = 0; tries < 5; tries += 1) await context.send('nobody', allRoutes.createToken, { body })
    return context.send('nobody', allRoutes.createToken, { body })
  },
  wrong_password: (context) =>
    context.send('member', allRoutes.changePassword, {
      body: { current: 'guessed', password: 'staple horse correct' },
    }),
  console_wrong_address: (context) =>
    context.send('nobody', allRoutes.createSignIn, { body: { username: 'ada', password: 'any' } }),
  console_needs_https: async (context) => {
    const route = allRoutes.createSignIn
    const body = { username: 'ada', password: 'any' }
    return {
      route,
      answer: await context.world.sendWith({ baseUrl: 'http://sandbox.test' }, 'nobody', route, { body }),
    }
  },
  insufficient_permissions: (context) => context.send('member', allRoutes.readCompany),
  not_found: (context) => context.send('member', allRoutes.readTask, { params: { id: 'nothing' } }),
  request_too_large: (context) =>
    context.send('manager', allRoutes.createTask, {
      body: { ...makeTenantTask(context), description: 'x'.repeat(256 * 1024) },
    }),
  idempotency_key_required: (context) => {
    const { params, body } = submission(context)
    return context.send('member', allRoutes.submitRun, { params, body })
  },
  idempotency_conflict: async (context) => {
    const request = submission(context)
    await context.sendOk('member', allRoutes.submitRun, request)
    return context.send('member', allRoutes.submitRun, {
      ...request,
      body: { ...request.body, input: 'other' },
    })
  },
  illegal_transition: (context) =>
    context.sendTwice('manager', allRoutes.revokeShare, {
      params: { id: context.ids.task, gid: context.ids.share },
    }),
  no_fields: (context) =>
    context.send('manager', allRoutes.updateTask, { params: { id: context.ids.task }, body: {} }),
  database_unavailable: async (context) => {
    const log = createLog('test', 'silent')
    const db = connect(unreachableDatabase, { poolSize: 1, log, name: 'test' })
    const route = allRoutes.readMe
    const answer = await context.world.sendWith({ db }, 'member', route)
    await db.destroy()
    return { route, answer }
  },
  storage_quota_exceeded: async (context) => {
    const { companyId } = context.world.own
    const row = { company_id: companyId, kind: 'logs', bytes: 2 }
    await context.db.insertInto('kept_byte_changes').values(row).execute()
    await context.db.insertInto('storage_bounds').values({ company_bytes: 1 }).execute()
    return context.send('member', allRoutes.submitRun, submission(context))
  },
  disk_space_low: async (context) => {
    const route = allRoutes.submitRun
    const everything = { diskFloorBytes: Number.MAX_SAFE_INTEGER }
    return { route, answer: await context.world.sendWith(everything, 'member', route, submission(context)) }
  },
  sandbox_disabled: async (context) => {
    const route = allRoutes.createTask
    const request = { body: makeTenantTask(context) }
    return { route, answer: await context.world.sendWith({ enabled: false }, 'manager', route, request) }
  },
  public_key_unavailable: async (context) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
    mkdirSync(keysFolder(dataDir), { recursive: true })
    writeFileSync(join(keysFolder(dataDir), 'transit-rsa.pem'), 'no key')
    const route = allRoutes.readPublicKey
    const answer = await context.world.sendWith({ dataDir }, 'nobody', route)
    rmSync(dataDir, { recursive: true })
    return { route, answer }
  },

  already_exists: (context) =>
    context.sendTwice('administrator', allRoutes.createDepartment, { body: { name: 'Twice' } }),
  last_administrator: (context) =>
    context.send('administrator', allRoutes.updateUser, {
      params: { id: context.world.own.people.administrator.principalId },
      body: { role: 3 },
    }),
  managed_departments_invalid: (context) =>
    context.send('administrator', allRoutes.createUser, {
      body: {
        login: 'somebody.new',
        password: 'correct horse battery',
        role: 2,
        managed_department_ids: [context.world.foreign.ids.department],
      },
    }),
  allowed_chatrooms_invalid: (context) =>
    context.send('administrator', allRoutes.createApiKey, { body: { name: 'No room', scope: 'sandbox' } }),
  policy_version_conflict: async (context) => {
    const settings = await context.sendOk('companyManager', allRoutes.readSettings)
    return context.send('companyManager', allRoutes.updateSettings, {
      body: {
        run_content_retention_days: 30,
        unreferenced_image_retention_days: 30,
        allowed_regions: settings.selectable_regions,
        policy_version: Number(settings.policy_version) + 1,
      },
    })
  },
}
