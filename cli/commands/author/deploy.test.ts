import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

/* With a service, deployments are in e2e/main-job/deploy.test.ts and templates.test.ts. */

const room = `roo_${'1'.repeat(32)}`
const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })
const owner = { owner_scope: 'company', owner_id: 'cmp_1' }
const task = { id: 'tsk_1', name: 'report', description: '', ...owner, current_draft_version_id: null }

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-deploy-'))
  mkdirSync(join(home, 'image'))
  writeFileSync(join(home, 'image/Dockerfile'), 'FROM scratch\n')
  writeFileSync(join(home, 'work.sh'), 'echo hi\n')
  const lines = ['name: report', 'environment: { folder: image }', 'work_script: work.sh']
  writeFileSync(
    join(home, 'task.yaml'),
    `${lines.join('\n')}\nshare: { rooms: [${room}] }\nenable: [${room}]\n`,
  )
  const environment = { id: 'env_1', name: 'report', owner_kind: 'company', owner_id: 'cmp_1' }
  const version = { id: 'ver_1', version_number: 1, state: 'ready', resource_profile: 'standard' }
  const build = { id: 'bld_1', stage_index: 1, stage_count: 3, stage_code: 'terminal' }
  Object.assign(service.answers, {
    listEnvironments: () => ({ json: page([environment]) }),
    listEnvironmentVersions: () => ({ json: page([]) }),
    initContextUpload: () => ({ json: { upload_session_id: 'ups_1', capability_token: 'may' } }),
    putContextUpload: () => ({ json: {} }),
    completeContextUpload: () => ({ json: { owned_object_id: 'obj_1' } }),
    createEnvironmentVersion: () => ({ json: version }),
    createBuild: () => ({ json: { ...build, terminal_class: '' } }),
    readBuild: () => ({ json: { ...build, terminal_class: 'completed' } }),
    readEnvironmentVersion: () => ({ json: version }),
    readMe: () => ({
      json: { company_id: 'cmp_1', managed_department_ids: [], can: { create_company_task: true } },
    }),
    listTasks: () => ({ json: page([{ ...task, current_published_version_id: null }]) }),
    createTaskVersion: () => ({ json: { id: 'tvr_1' } }),
    publishTaskVersion: () => ({ json: { id: 'tvr_1', version_number: 1, secret_slot_names: [] } }),
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

const deploy = (...args: string[]) =>
  runCli(['deploy', ...args], { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
const changes = () =>
  service.requests.map(({ route }) => String(route)).filter((name) => !/^(list|read)/.test(name))

test('the new version of the environment is the one that the task is published on', async () => {
  expect(await deploy()).toMatchObject({
    exitCode: 0,
    stdout: 'Deployed version 1 of report on version 1 of report (tvr_1)\n',
  })
  const draft = service.requests.find(({ route }) => route === 'createTaskVersion')
  expect(JSON.parse(String(draft?.body))).toMatchObject({ environment_version_id: 'ver_1' })
  expect(changes().slice(-3)).toEqual(['publishTaskVersion', 'createShare', 'enableGrantedJob'])
})

test('the first deployment says what to type next: a run, or how a room gets the task', async () => {
  const lines = ['name: two words', 'environment: { folder: image }', 'work_script: work.sh']
  writeFileSync(join(home, 'in.json'), '{}')
  writeFileSync(join(home, 'own.yaml'), lines.join('\n'))
  managerOf(sales)
  const alone = await deploy('--file', 'own.yaml')
  expect(alone.stderr).toContain(
    "sandbox share 'two words' --room ROOM\n  sandbox enable 'two words' --room ROOM\n",
  )
  const more = ['input_schema: { type: object }', 'input_example: in.json', `enable: [${room}]`]
  writeFileSync(join(home, 'own.yaml'), [...lines, ...more].join('\n'))
  const enabled = await deploy('--file', 'own.yaml')
  expect(enabled.stderr).toContain(
    `Next:\n  sandbox run 'two words' --room ${room} --input in.json --watch\n`,
  )
  service.answers.publishTaskVersion = () => ({ json: { id: 'tvr_2', version_number: 2 } })
  expect((await deploy('--file', 'own.yaml')).stderr).not.toContain('Next')
})

test('schedules of the file are made, changed where they differ, and never those of another task', async () => {
  const times = { cron: '30 7 * * mon-fri', time_zone: 'Europe/Berlin' }
  const lines = ['name: report', 'environment: { folder: image }', 'work_script: work.sh', 'schedules:']
  const text = `  - { room: ${room}, cron: ${times.cron}, time_zone: ${times.time_zone}, input: { region: all } }`
  writeFileSync(join(home, 'task.yaml'), [...lines, text].join('\n'))
  const stored = {
    id: 'sch_1',
    name: 'report',
    task_id: 'tsk_1',
    ...times,
    missed: 'skip',
    timeout_seconds: null,
  }
  service.answers.listSchedules = () => ({ json: page([]) })
  service.answers.createSchedule = () => ({ json: stored })
  service.answers.updateSchedule = () => ({ json: stored })
  service.answers.readScheduleInput = () => ({ bytes: '{"region":"all"}' })
  await deploy()
  const made = service.requests.find(({ route }) => route === 'createSchedule')
  expect(JSON.parse(String(made?.body))).toEqual({
    name: 'report',
    task_id: 'tsk_1',
    ...times,
    missed: 'skip',
    timeout_seconds: null,
    input: { region: 'all' },
  })
  service.requests.length = 0
  service.answers.listSchedules = () => ({ json: page([stored]) })
  await deploy()
  expect(changes().at(-1)).toBe('publishTaskVersion')
  service.answers.listSchedules = () => ({ json: page([{ ...stored, cron: '0 8 * * *' }]) })
  await deploy()
  expect(changes().at(-1)).toBe('updateSchedule')
  service.answers.listSchedules = () => ({ json: page([{ ...stored, task_id: 'tsk_2' }]) })
  const other = await deploy()
  expect(other.exitCode).toBe(1)
  expect(other.stderr).toContain('runs another task')
  expect(other.stderr).toContain('not done: schedule it')
})

test('a step that fails says what is done and what is not', async () => {
  service.answers.enableGrantedJob = () => ({ status: 403, detail: 'Forbidden' })
  const result = await deploy()
  expect(result.exitCode).toBe(1)
  expect(result.stderr).toContain(
    '  done: report version 1 is ready\n  done: report version 1 is published\n  not done: enable it\nhint:',
  )
})

test('a wrong name of a room or a wrong folder is refused before anything is built', async () => {
  service.answers.listOwnChatrooms = () => ({ json: page([]) })
  writeFileSync(
    join(home, 'other.yaml'),
    'name: a\nenvironment: {}\nwork_script: work.sh\nenable: [nowhere]\n',
  )
  expect((await deploy('--file', 'other.yaml')).exitCode).toBe(1)
  writeFileSync(join(home, 'out.yaml'), 'name: a\nenvironment: { folder: .. }\nwork_script: work.sh\n')
  expect(await deploy('--file', 'out.yaml')).toMatchObject({ exitCode: 2 })
  expect(changes()).toEqual([])
})

/** Not a manager of the company, but of these departments. */
function managerOf(...departments: { id: string; name: string }[]) {
  const ids = departments.map(({ id }) => id)
  const me = { company_id: 'cmp_1', managed_department_ids: ids, can: { create_company_task: false } }
  Object.assign(service.answers, {
    readMe: () => ({ json: me }),
    listOwnDepartments: () => ({ json: page(departments) }),
    listEnvironments: () => ({ json: page([]) }),
    listTasks: () => ({ json: page([]) }),
    createEnvironment: ({ body }) => ({
      json: { id: 'env_1', owner_kind: 'company', ...JSON.parse(String(body)) },
    }),
    createTask: ({ body }) => ({
      json: { ...task, ...JSON.parse(String(body)), current_published_version_id: null },
    }),
  } satisfies FakeService['answers'])
}
const ownersOfNew = () =>
  service.requests
    .filter(({ route }) => route === 'createEnvironment' || route === 'createTask')
    .map(({ body }) => (JSON.parse(String(body)) as { owner_id: string }).owner_id)

const [sales, trade] = [
  { id: 'dep_1', name: 'sales' },
  { id: 'dep_2', name: 'trade' },
]

test('the only department of a manager owns what is deployed', async () => {
  managerOf(sales)
  expect(await deploy()).toMatchObject({ exitCode: 0 })
  expect(ownersOfNew()).toEqual(['dep_1', 'dep_1'])
})

test('a manager of several departments names one, by option or in the file', async () => {
  managerOf(sales, trade)
  const refused = await deploy()
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('hint:  Name the owner with --department: sales, trade.')
  expect(ownersOfNew()).toEqual([])
  expect(await deploy('--department', 'trade')).toMatchObject({ exitCode: 0 })
  writeFileSync(
    join(home, 'named.yaml'),
    'name: a\ndepartment: sales\nenvironment: { folder: image }\nwork_script: work.sh\n',
  )
  expect(await deploy('--file', 'named.yaml')).toMatchObject({ exitCode: 0 })
  expect(ownersOfNew()).toEqual(['dep_2', 'dep_2', 'dep_1', 'dep_1'])
  expect((await deploy('--department', 'slaes')).stderr).toContain('hint:  Did you mean sales?')
})

test('the limits of the environment are set where they differ, before the task is published', async () => {
  writeFileSync(
    join(home, 'limits.yaml'),
    'name: report\nenvironment: { folder: image, network: nothing, isolation: gvisor }\nwork_script: work.sh\n',
  )
  Object.assign(service.answers, {
    readEnvironmentVersion: () => ({
      json: { id: 'ver_1', environment_id: 'env_1', version_number: 1, state: 'ready' },
    }),
    readEnvironmentEgress: () => ({ json: { allow_list: null } }),
    changeEnvironmentEgress: () => ({ json: {} }),
    readVersionIsolation: () => ({ json: { isolation: 'standard', effective: 'standard' } }),
    changeVersionIsolation: () => ({ json: {} }),
  } satisfies FakeService['answers'])
  expect(await deploy('--file', 'limits.yaml')).toMatchObject({ exitCode: 0 })
  const sent = (route: string) => service.requests.find((request) => request.route === route)
  expect(JSON.parse(String(sent('changeEnvironmentEgress')?.body))).toEqual({
    allow_list: { domains: [], cidrs: [] },
  })
  expect(sent('changeVersionIsolation')?.params).toEqual({ id: 'env_1', vid: 'ver_1' })
  expect(changes().indexOf('changeVersionIsolation')).toBeLessThan(changes().indexOf('createTaskVersion'))
})
