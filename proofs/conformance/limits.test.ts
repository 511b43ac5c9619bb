import {
  contextArchiveMaxBytes,
  descriptionMaxLength,
  downloadCapabilityLifetimeSeconds,
  envNamesMax,
  idempotencyKeyMaxLength,
  imageRetentionMaxDays,
  inputExampleMaxLength,
  inputInstructionsMaxLength,
  inputSchemaMaxBytes,
  nameMaxLength,
  ordinaryEnvMaxBytes,
  pageSizeMax,
  pageTokenMaxLength,
  reasonMaxLength,
  runContentRetentionMaxDays,
  runInputMaxBytes,
  runInputMaxDepth,
  runInputMaxNodes,
  scriptMaxBytes,
  timeoutCeilingDefaultSeconds,
  timeoutMaxSeconds,
  uploadCapabilityLifetimeSeconds,
  uploadSessionLifetimeSeconds,
  workCommandMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { draftOf, ScenarioContext, type ScenarioResponse, submission } from './errors/error-scenario.ts'
import { World } from './world.ts'

/*
 * The numbers of the contract's Limits table (part 1): the last value that is accepted and the first that is refused.
 * Limits on counts and on uploads are tested in errors/*-scenarios.ts. Twenty archives of the maximum size are within
 * the declared bytes of a company, so the slots always run out first.
 */
interface Limit {
  /** The last accepted values, and the first refused ones. */
  within: readonly number[]
  past: readonly number[]
  send: (context: ScenarioContext, value: number) => Promise<ScenarioResponse>
  refusal?: number
}

const text = (length: number) => 'x'.repeat(length)
const listTasks = (context: ScenarioContext, query: Record<string, string>) =>
  context.send('member', allRoutes.listTasks, { query })
const write = (context: ScenarioContext, fields: Record<string, unknown>) =>
  context.send('manager', allRoutes.createTaskVersion, draftOf(context, fields))
const submit = (context: ScenarioContext, input: unknown, headers = {}) => {
  const request = submission(context)
  const body = { ...request.body, input }
  return context.send('member', allRoutes.submitRun, {
    ...request,
    body,
    headers: { ...request.headers, ...headers },
  })
}
const settings = async (context: ScenarioContext, fields: Record<string, unknown>) => {
  const now = await context.sendOk('companyManager', allRoutes.readSettings)
  return context.send('companyManager', allRoutes.updateSettings, {
    body: {
      run_content_retention_days: 30,
      unreferenced_image_retention_days: 30,
      allowed_regions: now.selectable_regions,
      policy_version: now.policy_version,
      ...fields,
    },
  })
}
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
const env = (names: number) =>
  Object.fromEntries(Array.from({ length: names }, (_, at) => [`NAME_${at}`, '']))
const quickRun = (context: ScenarioContext, fields: Record<string, unknown>) =>
  context.send('manager', allRoutes.quickRun, {
    params: { cid: context.ids.room },
    body: {
      name: 'Quick',
      environment_version_id: context.ids.readyVersion,
      work_script: 'true',
      input: {},
      timeout_seconds: 60,
      ...fields,
    },
    headers: { 'idempotency-key': 'once' },
  })

const upTo = (most: number) => ({ within: [most], past: [most + 1] })

const limits: Record<string, Limit> = {
  page_size: {
    within: [1, pageSizeMax],
    past: [0, pageSizeMax + 1],
    send: (context, size) => listTasks(context, { page_size: String(size) }),
  },
  page_token: {
    ...upTo(pageTokenMaxLength),
    send: (context, length) => listTasks(context, { page_token: text(length) }),
  },
  'run input, bytes': {
    ...upTo(runInputMaxBytes),
    // The two quotes count.
    send: (context, bytes) => submit(context, text(bytes - 2)),
  },
  'run input, depth': { ...upTo(runInputMaxDepth), send: (context, levels) => submit(context, deep(levels)) },
  'run input, nodes': {
    ...upTo(runInputMaxNodes),
    // The list itself is a node.
    send: (context, nodes) =>
      submit(
        context,
        Array.from({ length: nodes - 1 }, () => 0),
      ),
  },
  'work script': {
    ...upTo(scriptMaxBytes),
    send: (context, bytes) => write(context, { work_script: text(bytes) }),
  },
  'startup script': {
    ...upTo(scriptMaxBytes),
    send: (context, bytes) => write(context, { startup_script: text(bytes) }),
  },
  'uploaded script': {
    ...upTo(scriptMaxBytes),
    send: (context, bytes) =>
      context.send('manager', allRoutes.uploadScript, {
        params: { id: context.ids.task },
        file: Buffer.alloc(bytes, 'x'),
      }),
  },
  work_command: {
    ...upTo(workCommandMaxBytes),
    send: (context, bytes) => write(context, { work_command: text(bytes) }),
  },
  input_schema: {
    ...upTo(inputSchemaMaxBytes),
    send: (context, bytes) =>
      write(context, { input_schema: '{"title":""}'.replace('""', `"${text(bytes - 12)}"`) }),
  },
  input_example: {
    ...upTo(inputExampleMaxLength),
    send: (context, length) => write(context, { input_example: `"${text(length - 2)}"` }),
  },
  input_instructions: {
    ...upTo(inputInstructionsMaxLength),
    send: (context, length) => write(context, { input_instructions: text(length) }),
  },
  'environment variables, names': {
    ...upTo(envNamesMax),
    send: (context, names) => quickRun(context, { ordinary_env: env(names) }),
  },
  'environment variables, serialized': {
    ...upTo(ordinaryEnvMaxBytes),
    // `{"A":""}` counts without the value.
    send: (context, bytes) => quickRun(context, { ordinary_env: { A: text(bytes - 8) } }),
  },
  'idempotency key': {
    ...upTo(idempotencyKeyMaxLength),
    send: (context, length) => submit(context, {}, { 'idempotency-key': text(length) }),
  },
  'timeout of a version': {
    within: [1, timeoutMaxSeconds],
    past: [0, timeoutMaxSeconds + 1],
    send: (context, seconds) => write(context, { timeout_seconds: seconds }),
  },
  'timeout of a quick run': {
    ...upTo(timeoutCeilingDefaultSeconds),
    send: (context, seconds) => quickRun(context, { timeout_seconds: seconds }),
  },
  'timeout of a submission, which no ceiling bounds': {
    within: [1, timeoutMaxSeconds],
    past: [0, timeoutMaxSeconds + 1],
    send: (context, timeout_seconds) => {
      const request = submission(context)
      return context.send('member', allRoutes.submitRun, {
        ...request,
        body: { ...request.body, timeout_seconds },
      })
    },
  },
  'declared bytes of an archive': {
    within: [1, contextArchiveMaxBytes],
    past: [0, contextArchiveMaxBytes + 1],
    send: (context, declared_bytes) =>
      context.send('manager', allRoutes.initContextUpload, {
        params: { id: context.ids.environment },
        body: { declared_bytes },
      }),
  },
  'retention of run content': {
    within: [1, runContentRetentionMaxDays],
    past: [0, runContentRetentionMaxDays + 1],
    send: (context, days) => settings(context, { run_content_retention_days: days }),
  },
  'retention of images': {
    within: [1, imageRetentionMaxDays],
    past: [0, imageRetentionMaxDays + 1],
    send: (context, days) => settings(context, { unreferenced_image_retention_days: days }),
  },
  name: {
    within: [1, nameMaxLength],
    past: [0, nameMaxLength + 1],
    send: (context, length) =>
      context.send('manager', allRoutes.updateTask, {
        params: { id: context.ids.task },
        body: { name: text(length) },
      }),
  },
  description: {
    ...upTo(descriptionMaxLength),
    send: (context, length) =>
      context.send('manager', allRoutes.updateTask, {
        params: { id: context.ids.task },
        body: { description: text(length) },
      }),
  },
  'reason of a revocation': {
    ...upTo(reasonMaxLength),
    send: (context, length) =>
      context.send('manager', allRoutes.revokeShare, {
        params: { id: context.ids.task, gid: context.ids.share },
        body: { reason: text(length) },
      }),
  },
}

const { url } = await createTestDatabase()
let world: World
beforeAll(async () => {
  world = await World.make(url)
})
afterAll(async () => {
  await world.close()
  console.log(`limits: ${Object.keys(limits).length} numbers, at the limit and one beyond`)
})

const statusOf = async ({ send }: Limit, value: number) => {
  const { answer } = await world.rewind(() => send(new ScenarioContext(world), value))
  return `${value}: ${answer.statusCode}${answer.statusCode === 500 ? answer.body : ''}`
}

test.each(Object.entries(limits))('%s', async (_, limit) => {
  const { within, past, refusal = 422 } = limit
  for (const value of within) expect(await statusOf(limit, value)).toBe(`${value}: 200`)
  for (const value of past) expect(await statusOf(limit, value)).toBe(`${value}: ${refusal}`)
})

const secondsBetween = (from: Date | undefined, to: unknown) => (Date.parse(String(to)) - Number(from)) / 1000

test('capabilities and sessions have their lifetimes', async () => {
  const context = new ScenarioContext(world)
  const { ids } = context
  await world.rewind(async () => {
    // Uploads have the time of the database, which stands still in the one transaction of the world.
    const { rows } = await sql<{ now: Date }>`select now()`.execute(world.database.db)
    const started = rows[0]?.now
    const upload = await context.sendOk('manager', allRoutes.initContextUpload, {
      params: { id: ids.environment },
      body: { declared_bytes: 1 },
    })
    const ofCapability = secondsBetween(started, upload.capability_expires_at)
    expect(Math.abs(ofCapability - uploadCapabilityLifetimeSeconds)).toBeLessThan(60)
    const session = await context.sendOk('manager', allRoutes.readContextUpload, {
      params: { id: ids.environment, sid: String(upload.upload_session_id) },
    })
    const ofSession = secondsBetween(started, session.session_expires_at)
    expect(Math.abs(ofSession - uploadSessionLifetimeSeconds)).toBeLessThan(60)
    const download = await context.sendOk('member', allRoutes.createDownloadCapability, {
      params: { cid: ids.room, rid: ids.run, aid: ids.artifact },
    })
    const ofDownload = secondsBetween(new Date(), download.expires_at)
    expect(Math.abs(ofDownload - downloadCapabilityLifetimeSeconds)).toBeLessThan(60)
  })
})
