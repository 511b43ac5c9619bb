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
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { draftOf, submission } from './errors/examples.ts'
import { type Provoked, Scene } from './errors/provocation.ts'
import { World } from './world.ts'

/*
 * The numbers of the contract's Limits table (part 1): the last value that is taken and the first that is not.
 * Limits on how many there may be of something, and on what is uploaded, are met on both sides by
 * errors/*-provocations.ts. Twenty archives of the largest size declare no more than a company may, so the bytes
 * that may be declared never run out before the slots.
 */
interface Limit {
  /** The last values within, and the first ones past. */
  within: readonly number[]
  past: readonly number[]
  ask: (scene: Scene, value: number) => Promise<Provoked>
  refusal?: number
}

const text = (length: number) => 'x'.repeat(length)
const listTasks = (scene: Scene, query: Record<string, string>) =>
  scene.ask('member', allRoutes.listTasks, { query })
const write = (scene: Scene, fields: Record<string, unknown>) =>
  scene.ask('manager', allRoutes.createTaskVersion, draftOf(scene, fields))
const submit = (scene: Scene, input: unknown, headers = {}) => {
  const request = submission(scene)
  const body = { ...request.body, input }
  return scene.ask('member', allRoutes.submitRun, {
    ...request,
    body,
    headers: { ...request.headers, ...headers },
  })
}
const settings = async (scene: Scene, fields: Record<string, unknown>) => {
  const now = await scene.must('companyManager', allRoutes.readSettings)
  return scene.ask('companyManager', allRoutes.updateSettings, {
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
const quickRun = (scene: Scene, fields: Record<string, unknown>) =>
  scene.ask('manager', allRoutes.quickRun, {
    params: { cid: scene.ids.room },
    body: {
      name: 'Quick',
      environment_version_id: scene.ids.readyVersion,
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
    ask: (scene, size) => listTasks(scene, { page_size: String(size) }),
  },
  page_token: {
    ...upTo(pageTokenMaxLength),
    ask: (scene, length) => listTasks(scene, { page_token: text(length) }),
  },
  'run input, bytes': {
    ...upTo(runInputMaxBytes),
    // Two quotes are of the text.
    ask: (scene, bytes) => submit(scene, text(bytes - 2)),
  },
  'run input, depth': { ...upTo(runInputMaxDepth), ask: (scene, levels) => submit(scene, deep(levels)) },
  'run input, nodes': {
    ...upTo(runInputMaxNodes),
    // The list itself is one.
    ask: (scene, nodes) =>
      submit(
        scene,
        Array.from({ length: nodes - 1 }, () => 0),
      ),
  },
  'work script': {
    ...upTo(scriptMaxBytes),
    ask: (scene, bytes) => write(scene, { work_script: text(bytes) }),
  },
  'startup script': {
    ...upTo(scriptMaxBytes),
    ask: (scene, bytes) => write(scene, { startup_script: text(bytes) }),
  },
  'uploaded script': {
    ...upTo(scriptMaxBytes),
    ask: (scene, bytes) =>
      scene.ask('manager', allRoutes.uploadScript, {
        params: { id: scene.ids.task },
        file: Buffer.alloc(bytes, 'x'),
      }),
  },
  work_command: {
    ...upTo(workCommandMaxBytes),
    ask: (scene, bytes) => write(scene, { work_command: text(bytes) }),
  },
  input_schema: {
    ...upTo(inputSchemaMaxBytes),
    ask: (scene, bytes) =>
      write(scene, { input_schema: '{"title":""}'.replace('""', `"${text(bytes - 12)}"`) }),
  },
  input_example: {
    ...upTo(inputExampleMaxLength),
    ask: (scene, length) => write(scene, { input_example: `"${text(length - 2)}"` }),
  },
  input_instructions: {
    ...upTo(inputInstructionsMaxLength),
    ask: (scene, length) => write(scene, { input_instructions: text(length) }),
  },
  'environment variables, names': {
    ...upTo(envNamesMax),
    ask: (scene, names) => quickRun(scene, { ordinary_env: env(names) }),
  },
  'environment variables, serialized': {
    ...upTo(ordinaryEnvMaxBytes),
    // `{"A":""}` is there without the value.
    ask: (scene, bytes) => quickRun(scene, { ordinary_env: { A: text(bytes - 8) } }),
  },
  'idempotency key': {
    ...upTo(idempotencyKeyMaxLength),
    ask: (scene, length) => submit(scene, {}, { 'idempotency-key': text(length) }),
  },
  'timeout of a version': {
    within: [1, timeoutMaxSeconds],
    past: [0, timeoutMaxSeconds + 1],
    ask: (scene, seconds) => write(scene, { timeout_seconds: seconds }),
  },
  'timeout of a quick run': {
    ...upTo(timeoutCeilingDefaultSeconds),
    ask: (scene, seconds) => quickRun(scene, { timeout_seconds: seconds }),
  },
  'timeout of a submission, which no ceiling bounds': {
    within: [1, timeoutMaxSeconds],
    past: [0, timeoutMaxSeconds + 1],
    ask: (scene, timeout_seconds) => {
      const request = submission(scene)
      return scene.ask('member', allRoutes.submitRun, {
        ...request,
        body: { ...request.body, timeout_seconds },
      })
    },
  },
  'declared bytes of an archive': {
    within: [1, contextArchiveMaxBytes],
    past: [0, contextArchiveMaxBytes + 1],
    ask: (scene, declared_bytes) =>
      scene.ask('manager', allRoutes.initContextUpload, {
        params: { id: scene.ids.environment },
        body: { declared_bytes },
      }),
  },
  'retention of run content': {
    within: [1, runContentRetentionMaxDays],
    past: [0, runContentRetentionMaxDays + 1],
    ask: (scene, days) => settings(scene, { run_content_retention_days: days }),
  },
  'retention of images': {
    within: [1, imageRetentionMaxDays],
    past: [0, imageRetentionMaxDays + 1],
    ask: (scene, days) => settings(scene, { unreferenced_image_retention_days: days }),
  },
  name: {
    within: [1, nameMaxLength],
    past: [0, nameMaxLength + 1],
    ask: (scene, length) =>
      scene.ask('manager', allRoutes.updateTask, {
        params: { id: scene.ids.task },
        body: { name: text(length) },
      }),
  },
  description: {
    ...upTo(descriptionMaxLength),
    ask: (scene, length) =>
      scene.ask('manager', allRoutes.updateTask, {
        params: { id: scene.ids.task },
        body: { description: text(length) },
      }),
  },
  'reason of a revocation': {
    ...upTo(reasonMaxLength),
    ask: (scene, length) =>
      scene.ask('manager', allRoutes.revokeShare, {
        params: { id: scene.ids.task, gid: scene.ids.share },
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
  console.log(`limits: ${Object.keys(limits).length} numbers, at the limit and one past it`)
})

const statusOf = async ({ ask }: Limit, value: number) => {
  const { answer } = await world.rewind(() => ask(new Scene(world), value))
  return `${value}: ${answer.statusCode}${answer.statusCode === 500 ? answer.body : ''}`
}

test.each(Object.entries(limits))('%s', async (_, limit) => {
  const { within, past, refusal = 422 } = limit
  for (const value of within) expect(await statusOf(limit, value)).toBe(`${value}: 200`)
  for (const value of past) expect(await statusOf(limit, value)).toBe(`${value}: ${refusal}`)
})

const secondsFromNow = (instant: unknown) => (Date.parse(String(instant)) - Date.now()) / 1000

test('capabilities and sessions last as long as they should', async () => {
  const scene = new Scene(world)
  const { ids } = scene
  await world.rewind(async () => {
    const upload = await scene.must('manager', allRoutes.initContextUpload, {
      params: { id: ids.environment },
      body: { declared_bytes: 1 },
    })
    expect(
      Math.abs(secondsFromNow(upload.capability_expires_at) - uploadCapabilityLifetimeSeconds),
    ).toBeLessThan(60)
    const session = await scene.must('manager', allRoutes.readContextUpload, {
      params: { id: ids.environment, sid: String(upload.upload_session_id) },
    })
    expect(Math.abs(secondsFromNow(session.session_expires_at) - uploadSessionLifetimeSeconds)).toBeLessThan(
      60,
    )
    const download = await scene.must('member', allRoutes.createDownloadCapability, {
      params: { cid: ids.room, rid: ids.run, aid: ids.artifact },
    })
    expect(Math.abs(secondsFromNow(download.expires_at) - downloadCapabilityLifetimeSeconds)).toBeLessThan(60)
  })
})
