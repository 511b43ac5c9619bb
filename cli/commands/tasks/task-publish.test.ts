import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })
const owner = { owner_scope: 'company', owner_id: 'cmp_1' }
const task = { id: 'tsk_1', company_id: 'cmp_1', name: 'report', description: '', ...owner }
const unpublished = { ...task, current_published_version_id: null, current_draft_version_id: null }

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-publish-'))
  writeFileSync(join(home, 'work.sh'), 'echo hi\n')
  writeFileSync(
    join(home, 'task.yaml'),
    `name: report\nenvironment: python\nwork_script: work.sh\nshare: { rooms: [${room}] }\nenable: [${room}]\n`,
  )
  const environment = { id: 'env_1', name: 'python', current_version_id: 'ver_1' }
  Object.assign(service.answers, {
    listEnvironments: () => ({ json: page([environment]) }),
    readMe: () => ({
      json: { company_id: 'cmp_1', managed_department_ids: [], can: { create_company_task: true } },
    }),
    listTasks: () => ({ json: page([]) }),
    createTask: () => ({ json: unpublished }),
    createTaskVersion: () => ({ json: { id: 'tvr_1' } }),
    updateTaskVersion: () => ({ json: { id: 'tvr_9' } }),
    publishTaskVersion: ({ params }) => ({
      json: { id: params.vid, task_id: 'tsk_1', version_number: 1, secret_slot_names: [] },
    }),
    listShares: () => ({ json: page([]) }),
    createShare: () => ({ json: {} }),
    listGrantedJobs: () => ({ json: { items: [] } }),
    enableGrantedJob: () => ({ json: {} }),
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const publish = () =>
  runCli(['task', 'publish'], { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
const changes = () =>
  service.requests.map(({ route }) => String(route)).filter((name) => !/^(list|read)/.test(name))
const bodyOf = (route: string): unknown =>
  JSON.parse(String(service.requests.find((request) => request.route === route)?.body))

test('a new task is created, published, shared and enabled', async () => {
  expect(await publish()).toMatchObject({ exitCode: 0, stdout: 'Published version 1 of report (tvr_1)\n' })
  expect(changes()).toEqual([
    'createTask',
    'createTaskVersion',
    'publishTaskVersion',
    'createShare',
    'enableGrantedJob',
  ])
  expect(bodyOf('createTaskVersion')).toMatchObject({
    environment_version_id: 'ver_1',
    work_script: 'echo hi\n',
  })
  expect(bodyOf('enableGrantedJob')).toEqual({ task_version_id: 'tvr_1' })
})

test('a share from before its room moved fails the command, which says what to do', async () => {
  const moved = { target_kind: 'chatroom', target_id: room, active: true, authority_applicable: false }
  const detail = { code: 'share_already_live', message: 'Revoke it, then share again.' }
  service.answers.listShares = () => ({ json: page([moved]) })
  service.answers.createShare = () => ({ status: 409, detail })
  const { exitCode, stderr } = await publish()
  expect(exitCode).toBe(1)
  expect(stderr).toContain('Revoke it, then share again.')
  expect(changes()).not.toContain('enableGrantedJob')
})

test('a share that somebody else has just made is none the worse', async () => {
  const detail = { code: 'share_already_live', message: 'It is shared.' }
  service.answers.createShare = () => ({ status: 409, detail })
  expect((await publish()).exitCode).toBe(0)
})

test('publishing the same again changes nothing', async () => {
  await publish()
  const published = { ...(bodyOf('createTaskVersion') as object), id: 'tvr_1', version_number: 1 }
  service.answers.listTasks = () => ({
    json: page([{ ...unpublished, current_published_version_id: 'tvr_1' }]),
  })
  service.answers.readTaskVersion = () => ({
    json: { ...published, state: 'published', source_visible: true, secret_slot_names: [] },
  })
  const live = { target_kind: 'chatroom', target_id: room, active: true, authority_applicable: true }
  service.answers.listShares = () => ({ json: page([live]) })
  const enabled = { task_id: 'tsk_1', enabled: true, pinned_task_version_id: 'tvr_1' }
  service.answers.listGrantedJobs = () => ({ json: { items: [enabled] } })
  service.requests.length = 0
  expect((await publish()).stdout).toBe('Nothing has changed: version 1 of report (tvr_1)\n')
  expect(changes()).toEqual([])
})

test('an existing draft is overwritten, and a task of another owner is not changed', async () => {
  const other = { ...unpublished, id: 'tsk_2', owner_scope: 'department', owner_id: 'dep_1' }
  service.answers.listTasks = () => ({
    json: page([other, { ...unpublished, current_draft_version_id: 'tvr_9' }]),
  })
  expect((await publish()).stdout).toBe('Published version 1 of report (tvr_9)\n')
  expect(changes().slice(0, 2)).toEqual(['updateTaskVersion', 'publishTaskVersion'])
  expect(service.requests.find(({ route }) => route === 'updateTaskVersion')?.params.id).toBe('tsk_1')
})

test('a refused publish leaves no draft and no new task behind', async () => {
  const detail = { code: 'version_not_publishable', message: 'No.' }
  service.answers.publishTaskVersion = () => ({ status: 409, detail })
  service.answers.archiveTaskVersion = () => ({ json: { id: 'tvr_1' } })
  service.answers.archiveTask = () => ({ json: unpublished })
  expect(await publish()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No.') })
  expect(changes().slice(2)).toEqual(['publishTaskVersion', 'archiveTaskVersion', 'archiveTask'])

  service.requests.length = 0
  service.answers.listTasks = () => ({ json: page([{ ...unpublished, description: 'old' }]) })
  service.answers.createTaskVersion = () => ({
    status: 422,
    detail: { ...detail, code: 'job_contract_invalid' },
  })
  expect((await publish()).exitCode).toBe(1)
  expect(changes()).toEqual(['createTaskVersion'])
})

test('an environment that is not built yet says how to build it', async () => {
  const environment = { id: 'env_1', name: 'python', current_version_id: null }
  service.answers.listEnvironments = () => ({ json: page([environment]) })
  expect(await publish()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('sandbox env push') })
  expect(changes()).toEqual([])
})

test('the network is set before the version is published, and the policy names the table by its id', async () => {
  writeFileSync(
    join(home, 'task.yaml'),
    'name: report\nenvironment: python\nwork_script: work.sh\nnetwork: [api.example.org, 8.8.8.8]\n' +
      'output_policy: { kind: custom_table_writeback, table: orders }\n',
  )
  let network: unknown = null
  Object.assign(service.answers, {
    listTables: () => ({ json: page([{ id: 'tbl_1', name: 'orders' }]) }),
    readTaskEgress: () => ({ json: { allow_list: network } }),
    changeTaskEgress: ({ body }) => {
      network = (JSON.parse(String(body)) as { allow_list: unknown }).allow_list
      return { json: { allow_list: network } }
    },
  } satisfies FakeService['answers'])
  expect(await publish()).toMatchObject({ exitCode: 0 })
  expect(changes()).toEqual(['createTask', 'changeTaskEgress', 'createTaskVersion', 'publishTaskVersion'])
  expect(network).toEqual({ domains: ['api.example.org'], cidrs: ['8.8.8.8/32'] })
  expect(bodyOf('createTaskVersion')).toMatchObject({
    output_policy: { kind: 'custom_table_writeback', table_id: 'tbl_1', allowed_ops: 'create' },
  })
  await publish()
  expect(changes().filter((name) => name === 'changeTaskEgress')).toHaveLength(1)
})

test('a schema of draft-07 is published as what it means, and that is said', async () => {
  const schema = '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}'
  writeFileSync(join(home, 'input.schema.json'), schema)
  writeFileSync(
    join(home, 'task.yaml'),
    'name: report\nenvironment: python\nwork_script: work.sh\ninput_schema: input.schema.json\n',
  )
  expect((await publish()).stderr).toContain('published as draft 2020-12')
  expect(bodyOf('createTaskVersion')).toMatchObject({
    input_schema: schema.replace(/http:.*#/, 'https://json-schema.org/draft/2020-12/schema'),
  })
})

test('a version with slots says whether approvals of next versions cover it', async () => {
  const version = { id: 'tvr_2', task_id: 'tsk_1', version_number: 2, secret_slot_names: ['TOKEN'] }
  service.answers.publishTaskVersion = () => ({ json: version })
  const of = (scope: string, id: string) => ({
    id: `sap_${id}`,
    consumer_scope: scope,
    consumer_id: id,
    task_version_id: 'tvr_1',
  })
  const covering = { ...of('chatroom', 'roo_1'), next_versions: { until: '2027-01-01T00:00:00.000Z' } }
  const itself = { ...of('company', 'cmp_1'), task_version_id: 'tvr_2', next_versions: null }
  const others = [of('chatroom', 'roo_2'), of('department', 'dep_1'), of('chatroom', 'roo_1')]
  service.answers.listExtendedSecretApprovals = ({ query }) => ({
    json: page(query.get('task_version_id') === 'tvr_2' ? [covering, itself] : [covering, itself, ...others]),
  })
  const lines = (await publish()).stdout.split('\n')
  expect(lines.slice(1, 5)).toEqual([
    'Secrets of chatroom roo_1: covered until 2027-01-01T00:00:00.000Z as a next version (sap_roo_1).',
    'Secrets of company cmp_1: approved (sap_cmp_1).',
    'Secrets of chatroom roo_2: not approved for this version. Runs end with secret_approval_required until: sandbox secret approve report --room roo_2 --accept-risk',
    'Secrets of department dep_1: not approved for this version. Runs end with secret_approval_required until: sandbox secret approve report --department dep_1 --accept-risk',
  ])
  service.answers.listExtendedSecretApprovals = () => ({ json: page([]) })
  expect((await publish()).stdout).toContain('No approval counts for its secrets.')
})
