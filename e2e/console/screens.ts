import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { ended, exampleFile, runWhen, submit } from '../main-job/tenant.ts'
import type { ConsoleWorld } from './console-world.ts'

/** The path of every screen below `/console/`, with its parts, by a name for its pictures. Runs the job once and makes a draft. */
export async function makeScreens(world: ConsoleWorld): Promise<Record<string, string>> {
  const { tenant, version, environmentVersion, taskId } = world
  const { id: rid } = await submit(tenant, version, JSON.parse(await exampleFile('input.json')))
  await runWhen(tenant, rid, ended)
  const room = `chatrooms/${tenant.room}`
  const run = `${room}/runs/${rid}`
  const task = `tasks/${taskId}`
  const { id: draft } = await tenant.client.call(allRoutes.createTaskVersion, {
    params: { id: taskId },
    body: { environment_version_id: environmentVersion, work_script: 'echo 1' },
  })
  const { id: schedule } = await tenant.client.call(allRoutes.createSchedule, {
    params: { cid: tenant.room },
    body: {
      name: 'Daily numbers',
      task_id: taskId,
      cron: '30 7 * * mon-fri',
      time_zone: 'Europe/Berlin',
      input: JSON.parse(await exampleFile('input.json')),
    },
  })
  const { id: session } = await tenant.client.call(allRoutes.createSession, {
    params: { cid: tenant.room },
    body: { name: 'sales analysis' },
  })
  return {
    start: '',
    rooms: 'chatrooms',
    account: 'me',
    search: 'search?q=daily',
    runs: 'runs',
    'run-form': `${room}/run/${taskId}`,
    room,
    'room-runs': `${room}/runs`,
    'room-jobs': `${room}/manage/jobs`,
    'room-secrets': `${room}/manage/secrets`,
    'room-doors': `${room}/manage/doors`,
    'room-notifications': `${room}/manage/notifications`,
    'room-files': `${room}/files`,
    'room-sessions': `${room}/sessions`,
    'room-session': `${room}/sessions/${session}`,
    'quick-run': `${room}/quick-run`,
    schedules: `${room}/schedules`,
    'schedule-new': `${room}/schedules/new`,
    'schedule-change': `${room}/schedules/${schedule}`,
    'company-secrets': `${room}/manage/secrets?for=company`,
    'inbox-todo': 'inbox/todo',
    'inbox-notifications': 'inbox/notifications',
    'inbox-all': 'inbox/notifications?all=true',
    ...(await screensOfEnvironment(world)),
    ...(await screensOfCompany(world)),
    ...(await screensOfTables(world)),
    tasks: 'tasks',
    'task-new': 'tasks/new',
    task,
    'task-version-new': `${task}/new`,
    'task-version': `${task}/versions/${version}`,
    'task-version-compare': `${task}/versions/${draft}/compare`,
    'task-draft': `${task}/versions/${draft}/edit`,
    'run-result': `${run}/result`,
    'run-log': `${run}/log`,
    'run-files': `${run}/files`,
    'run-input': `${run}/input`,
    'run-network': `${run}/network`,
    'run-usage': `${run}/usage`,
  }
}

/** The same of the operator console, below `/operator/`. */
export const operatorScreens = (companyId: string): Record<string, string> => {
  const company = `companies/${companyId}`
  return {
    'operator-overview': '',
    'operator-companies': 'companies',
    'operator-company': company,
    'operator-company-runs': `${company}/runs`,
    'operator-company-builds': `${company}/builds`,
    'operator-runs': 'runs',
    'operator-builds': 'builds',
    'operator-images': 'images',
    'operator-network': 'network',
    'operator-prices': 'prices',
    'operator-log': 'log?paused=true',
    'operator-acts': 'acts',
  }
}

async function screensOfEnvironment({ tenant, environmentVersion: vid }: ConsoleWorld) {
  const { items } = await tenant.client.call(allRoutes.listEnvironments)
  const id = items.find(({ current_version_id }) => current_version_id === vid)?.id ?? ''
  const { items: builds } = await tenant.client.call(allRoutes.listBuilds, { params: { id, vid } })
  const version = `environments/${id}/versions/${vid}`
  return {
    environments: 'environments',
    'environment-new': 'environments/new',
    environment: `environments/${id}`,
    'environment-version-new': `environments/${id}/new`,
    'environment-version': version,
    'environment-findings': `environments/${id}/findings`,
    'version-packages': `${version}/packages`,
    'version-findings': `${version}/findings`,
    'version-provenance': `${version}/provenance`,
    'version-compare': `${version}/compare`,
    build: `${version}/builds/${builds[0]?.id ?? ''}`,
  }
}

async function screensOfCompany({ tenant: { client, room } }: ConsoleWorld) {
  const { principal_id: person } = await client.call(allRoutes.readMe)
  const { department_id: department } = await client.call(allRoutes.readChatroom, { params: { cid: room } })
  const { id: key } = await client.call(allRoutes.createApiKey, {
    body: { name: 'shop assistant', scope: 'sandbox', allowed_chatroom_ids: [room] },
  })
  const { id: webhook } = await client.call(allRoutes.createWebhook, {
    body: { url: 'https://example.org/hooks', events: ['build_ready'] },
  })
  return {
    people: 'company/people',
    'person-new': 'company/people/new',
    person: `company/people/${person}`,
    departments: 'company/departments',
    department: `company/departments/${department}`,
    'company-rooms': 'company/chatrooms',
    'company-room': `company/chatrooms/${room}`,
    keys: 'company/keys',
    'key-new': 'company/keys/new',
    key: `company/keys/${key}`,
    usage: 'company/usage',
    storage: 'company/storage',
    webhooks: 'company/webhooks',
    'webhook-new': 'company/webhooks/new',
    webhook: `company/webhooks/${webhook}`,
    settings: 'company/settings',
    findings: 'company/findings',
    audit: 'company/audit',
  }
}

async function screensOfTables({ tenant: { client, companyId, room }, version }: ConsoleWorld) {
  const { id } = await client.call(allRoutes.createTable, {
    body: {
      name: 'orders',
      description: 'One row for each order',
      owner_scope: 'company',
      owner_id: companyId,
      fields: [
        { name: 'order_id', type: 'text', required: true },
        { name: 'amount', type: 'number' },
        { name: 'paid', type: 'boolean' },
        { name: 'due', type: 'datetime' },
        { name: 'lines', type: 'json' },
      ],
    },
  })
  const { id: command } = await client.call(allRoutes.createTableCommand, {
    params: { id },
    body: {
      name: 'mark as paid',
      description: 'Sets whether an order is paid',
      inputs: [
        { name: 'order_id', type: 'text', required: true },
        { name: 'paid', type: 'boolean' },
      ],
      effect_identity: ['order_id'],
      granted_scope: 'chatroom',
      granted_id: room,
    },
  })
  for (const at of Array.from({ length: 12 }).keys()) {
    await client.call(allRoutes.createRow, {
      params: { id },
      idempotencyKey: `order-${at}`,
      body: {
        values: {
          order_id: `A-${at}`,
          amount: at * 12.5,
          paid: at % 3 === 0,
          due: '2026-12-01T09:30:00Z',
          lines: [at],
        },
      },
    })
  }
  const { id: trigger } = await client.call(allRoutes.createTableTrigger, {
    params: { id },
    body: {
      name: 'report of each order',
      events: ['create'],
      chatroom_id: room,
      task_version_id: version,
      input_template: { order: '{{values.order_id}}' },
    },
  })
  const { items } = await client.call(allRoutes.listRows, { params: { id } })
  const table = `tables/${id}`
  return {
    tables: 'tables',
    'table-new': 'tables/new',
    'table-rows': `${table}/rows?filter=${encodeURIComponent('["amount:gte:10"]')}&sort=-amount`,
    'table-row': `${table}/rows?row=${items[0]?.id ?? ''}`,
    'table-row-new': `${table}/rows?row=new`,
    'table-fields': `${table}/fields`,
    'table-commands': `${table}/commands`,
    'table-command-new': `${table}/commands/new`,
    'table-command': `${table}/commands/${command}`,
    'room-command': `chatrooms/${room}/commands/${command}`,
    'table-triggers': `${table}/triggers`,
    'table-trigger-new': `${table}/triggers/new`,
    'table-trigger': `${table}/triggers/${trigger}`,
    'table-trigger-change': `${table}/triggers/${trigger}/edit`,
  }
}
