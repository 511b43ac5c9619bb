import {
  inputFileMaxBytes,
  onPremisesCompanyQueueLimitDefault,
  onPremisesFleetQueueLimitDefault,
  signedLinksPerRunMax,
} from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sha256Of } from '../../../server/base/sha256.ts'
import { setBudget } from '../../../server/billing/budgets/budget-store.ts'
import { applyTestPrices, giveBudget } from '../../../testing/factories/prices.ts'
import { makeRun } from '../../../testing/factories/runs.ts'
import type { Seed } from '../seed/seed.ts'
import { type ErrorScenarios, type ScenarioContext, submission } from './error-scenario.ts'

const submit = (context: ScenarioContext, fields: Record<string, unknown> = {}) => {
  const request = submission(context)
  return context.send('member', allRoutes.submitRun, { ...request, body: { ...request.body, ...fields } })
}

const submitFiles = (context: ScenarioContext, files: unknown[]) => {
  const request = submission(context)
  return context.send('member', allRoutes.submitExtendedRun, { ...request, body: { ...request.body, files } })
}

/** Fills a company's queue up to `depth`. */
async function queue(context: ScenarioContext, { companyId, ids }: Seed, depth: number): Promise<void> {
  const pins = {
    companyId,
    taskId: ids.task,
    versionId: ids.taskVersion,
    environmentVersionId: ids.readyVersion,
    shareGrantId: ids.share,
  }
  // The seed has one queued run.
  for (let queued = 1; queued < depth; queued += 1) {
    await makeRun(context.db, pins, { chatroom_id: ids.room })
  }
}

const changeVersion = (context: ScenarioContext, set: { content_state?: string; input_schema?: string }) =>
  context.db.updateTable('task_versions').set(set).where('id', '=', context.ids.taskVersion).execute()

/** Errors of runs. */
export const runScenarios: ErrorScenarios = {
  version_not_runnable: (context) => submit(context, { task_version_id: context.ids.draft }),
  content_scrubbed_irreversible: async (context) => {
    await changeVersion(context, { content_state: 'scrubbed' })
    return submit(context)
  },
  input_not_stageable: (context) => submit(context, { input: { text: '\ud800' } }),
  input_schema_violation: async (context) => {
    await changeVersion(context, { input_schema: '{"type":"array"}' })
    return submit(context)
  },
  no_active_region: async (context) => {
    await context.sendOk('companyManager', allRoutes.readSettings)
    await context.db
      .updateTable('company_settings')
      .set({ allowed_regions: ['asia-east1'] })
      .execute()
    return submit(context)
  },
  budget_reservation_exceeded: async (context) => {
    await applyTestPrices(context.db)
    await giveBudget(context.db, context.world.own.companyId, 1)
    return submit(context)
  },
  missing_price: async (context) => {
    await applyTestPrices(context.db)
    await context.db.deleteFrom('prices').execute()
    return submit(context)
  },
  invalid_envelope: async (context) => {
    await applyTestPrices(context.db)
    await context.db
      .updateTable('price_lists')
      .set({ outbound_reservation_bytes: 2 ** 53 - 1 })
      .execute()
    await context.db.updateTable('prices').set({ egress_per_gib_micro: 1e12 }).execute()
    return submit(context)
  },
  missing_window: async (context) => {
    await applyTestPrices(context.db)
    const month = { month: '2020-01', recurring: false, amountMicro: 1 }
    await setBudget(context.db, context.world.own.companyId, month)
    return submit(context)
  },
  selection_changed: async (context) => {
    await submit(context)
    return context.send('member', allRoutes.cancelRuns, { body: { filter: {}, expected: 0 } })
  },
  retry_input_unavailable: async (context) => {
    await context.db.deleteFrom('run_inputs').where('run_id', '=', context.ids.run).execute()
    return context.send('member', allRoutes.retryRun, {
      params: { cid: context.ids.room, rid: context.ids.run },
      headers: { 'idempotency-key': 'once' },
    })
  },
  link_limit: async (context) => {
    const request = { params: { cid: context.ids.room, rid: context.ids.run }, body: { purpose: 'share' } }
    // The seed has made two.
    for (let made = 2; made < signedLinksPerRunMax; made += 1) {
      await context.sendOk('member', allRoutes.createSignedLink, request)
    }
    return context.send('member', allRoutes.createSignedLink, request)
  },
  media_not_inline: async (context) => {
    const { run, room } = context.ids
    const svg = Buffer.from('<svg>')
    await context.world.storage.put(`runs/${run}/output`, svg)
    await context.db
      .updateTable('run_contents')
      .set({ output_digest: sha256Of(svg), output_bytes: svg.length })
      .where('run_id', '=', run)
      .execute()
    const refused = await context.send('member', allRoutes.createSignedLink, {
      params: { cid: room, rid: run },
      body: { purpose: 'media', object_kind: 'output' },
    })
    await context.world.storage.put(`runs/${run}/output`, Buffer.from('bytes'))
    return refused
  },
  download_capability_invalid: (context) =>
    context.send('member', allRoutes.redeemDownloadCapability, {
      params: { cid: context.ids.room, rid: context.ids.run, aid: context.ids.artifact },
      headers: { 'x-sandbox-download-capability': 'of something else' },
    }),
  range_not_satisfiable: async (context) => {
    const params = { cid: context.ids.room, rid: context.ids.run }
    const { token } = await context.sendOk('member', allRoutes.mintLogLink, { params })
    return context.send('nobody', allRoutes.downloadByToken, {
      params: { token: String(token) },
      headers: { range: 'bytes=1000000000-' },
    })
  },
  input_file_not_found: (context) =>
    submitFiles(context, [{ name: 'a', file_id: context.world.foreign.ids.inputFile }]),
  input_files_too_large: async (context) => {
    const { inputFile } = context.ids
    await context.db
      .updateTable('input_files')
      .set({ byte_size: inputFileMaxBytes })
      .where('id', '=', inputFile)
      .execute()
    return submitFiles(
      context,
      ['a', 'b'].map((name) => ({ name, file_id: inputFile })),
    )
  },
  input_file_too_large: (context) =>
    context.send('member', allRoutes.uploadInputFile, {
      params: { cid: context.ids.room },
      query: { name: 'large' },
      bytes: Buffer.from('large'),
      headers: { 'content-length': String(inputFileMaxBytes + 1) },
    }),
  in_use: async (context) => {
    const { inputFile, room } = context.ids
    await submitFiles(context, [{ name: 'a', file_id: inputFile }])
    return context.send('member', allRoutes.deleteInputFile, { params: { cid: room, fid: inputFile } })
  },
  sandbox_queued_run_limit: async (context) => {
    await queue(context, context.world.own, onPremisesCompanyQueueLimitDefault)
    return submit(context)
  },
  queue_full: async (context) => {
    await queue(context, context.world.foreign, onPremisesFleetQueueLimitDefault - 1)
    return submit(context)
  },
}
