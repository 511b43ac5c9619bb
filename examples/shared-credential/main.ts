import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Client } from '@sandbox-jobs/contract/client/client.ts'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import type { AuditEntry } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type {
  TaskVersion,
  TaskVersionCreateRequest,
} from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { Company } from './parties.ts'

/*
 * Two parties who need not trust each other: sales owns a task and a table, support has a credential. See README.md.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.SANDBOX_URL ?? 'http://127.0.0.1:8080' },
    user: { type: 'string', default: 'ada' },
  },
})
const { url, user } = values
const { SANDBOX_PASSWORD: password } = process.env
if (!password) throw new Error('SANDBOX_PASSWORD has the password of the administrator')
const slot = 'PARTNER_TOKEN'

const company = await Company.logIn(url, user, password)
try {
  await play(company)
} finally {
  await company.endKeys()
}

async function play(admin: Company): Promise<void> {
  const frontDesk = await admin.room('front-desk')
  await admin.client.call(allRoutes.putMember, {
    params: { cid: frontDesk, uid: await admin.user('sam') },
    body: { room_manager: true },
  })
  const [owner, borrower] = [await admin.as('dan'), await admin.as('sam')]
  const offer = await makeOffer(admin, owner, frontDesk)
  await lendCredential(borrower, frontDesk, offer.version)

  console.log('sam runs the task')
  const queued = await borrower.call(allRoutes.submitRun, {
    params: { cid: frontDesk },
    body: { task_version_id: offer.version.id, input: { article: 'A-17' } },
    idempotencyKey: randomUUID(),
  })
  const run = await ended(borrower, queued)
  if (run.status !== 'completed') throw new Error(`the run ended as ${run.status}: ${run.error_code}`)
  console.log(`  ${run.id} has completed`)
  await readResults(owner, offer)
  await readRecords(admin.client, run)
}

interface Offer {
  tableId: string
  version: TaskVersion
  /** Room of the second task, and what starts it. */
  dailyNumbers: string
  triggerId: string
}

async function makeOffer(admin: Company, owner: Client, room: string): Promise<Offer> {
  const name = `quotes ${randomUUID().slice(0, 8)}`
  const department = await admin.department('sales')
  console.log('dan, of sales, makes a table and a task that writes to it')
  const { id: tableId } = await owner.call(allRoutes.createTable, {
    body: {
      name,
      owner_scope: 'department',
      owner_id: department,
      fields: [
        { name: 'article', type: 'text', required: true },
        { name: 'price', type: 'number', required: true },
        { name: 'signature', type: 'text', required: true },
      ],
    },
  })
  const made = { department, environmentVersion: buildEnvironment(admin.token) }
  const version = await publish(owner, {
    ...made,
    name,
    script: 'quote.sh',
    more: {
      secret_slot_declarations: [{ name: slot }],
      output_policy: { kind: 'custom_table_writeback', table_id: tableId },
    },
    room,
  })
  console.log('dan makes a second task, which starts for each new row')
  const dailyNumbers = await admin.room('daily-numbers')
  const second = { ...made, name: `orders of ${name}`, script: 'follow-up.sh', room: dailyNumbers }
  const trigger = await owner.call(allRoutes.createTableTrigger, {
    params: { id: tableId },
    body: {
      name: 'order',
      events: ['create'],
      chatroom_id: dailyNumbers,
      task_version_id: (await publish(owner, second)).id,
      input_template: { article: '{{values.article}}', price: '{{values.price}}' },
    },
  })
  return { tableId, version, dailyNumbers, triggerId: trigger.id }
}

async function lendCredential(borrower: Client, room: string, version: TaskVersion): Promise<void> {
  console.log('sam, of front-desk, gives a credential, and approves exactly that version')
  const consumer = { consumer_scope: 'chatroom', consumer_id: room, task_id: version.task_id } as const
  const publicKey = await borrower.call(allRoutes.readPublicKey)
  await borrower.call(allRoutes.createSecret, {
    body: { ...consumer, slot_name: slot, encrypted_value: await encryptSecret(publicKey, randomUUID()) },
    idempotencyKey: randomUUID(),
  })
  await borrower.call(allRoutes.createSecretApproval, {
    body: {
      ...consumer,
      task_version_id: version.id,
      task_version_digest: version.canonical_digest,
      slot_names: [slot],
      risk_accepted: true,
    },
  })
}

async function readResults(owner: Client, { tableId, triggerId, dailyNumbers: cid }: Offer): Promise<void> {
  const { items: rows } = await owner.call(allRoutes.listRows, { params: { id: tableId } })
  console.log(`dan reads the row that it wrote: ${JSON.stringify(rows[0]?.values)}`)
  const rid = await startedBy(owner, triggerId)
  const { status } = await ended(owner, { chatroom_id: cid, id: rid })
  const output = await owner.call(allRoutes.readRunOutput, { params: { cid, rid } })
  console.log(`the second task has ${status}: ${await output.text()}`)
}

async function readRecords(admin: Client, run: Pick<RunDetail, 'id' | 'task_id'>): Promise<void> {
  const usage = await admin.call(allRoutes.readUsageReport, { query: { by: ['task', 'room'] } })
  const line = usage.items.find(({ subject_id }) => subject_id === run.task_id)
  if (line)
    console.log(
      `ada reads what it cost: ${line.count} run of ${line.chatroom_name}, ${line.cost} ${usage.currency}`,
    )
  const changes = await changesOf(admin, run.id)
  const said = changes.map(({ action, to_state }) => `${action} to ${to_state}`)
  console.log(`ada reads who did what: ${said.join(', ')}`)
}

function buildEnvironment(token: string): string {
  const sandbox = join(import.meta.dirname, '../../sandbox')
  const folder = join(import.meta.dirname, 'image')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SANDBOX_URL: url, SANDBOX_TOKEN: token }
  const pushed = spawnSync(sandbox, ['env', 'push', folder, '--name', 'shared-credential', '--json'], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const id = pushed.stdout.match(/ver_[0-9a-f]{32}/g)?.at(-1)
  if (pushed.status !== 0 || id === undefined) throw new Error('the image of the example could not be built')
  return id
}

interface TaskPlan {
  name: string
  department: string
  environmentVersion: string
  /** File of the work script. */
  script: string
  /** Further fields of the version. */
  more?: Partial<TaskVersionCreateRequest>
  /** Room that it is shared with. */
  room: string
}

async function publish(owner: Client, plan: TaskPlan): Promise<TaskVersion> {
  const { id } = await owner.call(allRoutes.createTask, {
    body: { name: plan.name, owner_scope: 'department', owner_id: plan.department },
  })
  const draft = await owner.call(allRoutes.createTaskVersion, {
    params: { id },
    body: {
      environment_version_id: plan.environmentVersion,
      work_script: readFileSync(join(import.meta.dirname, plan.script), 'utf8'),
      timeout_seconds: 60,
      ...plan.more,
    },
  })
  const version = await owner.call(allRoutes.publishTaskVersion, { params: { id, vid: draft.id } })
  const body = { target_kind: 'chatroom', target_id: plan.room } as const
  await owner.call(allRoutes.createShare, { params: { id }, body })
  return version
}

async function ended(client: Client, { chatroom_id: cid, id: rid }: Pick<RunDetail, 'chatroom_id' | 'id'>) {
  for (;;) {
    const run = await client.call(allRoutes.waitForRun, { params: { cid, rid }, query: { seconds: 30 } })
    if (run.terminal_at !== null) return run
  }
}

/** Oldest first. A change is in the audit log about a second after it was made. */
async function changesOf(client: Client, runId: string): Promise<AuditEntry[]> {
  for (;;) {
    const { items } = await client.call(allRoutes.listAuditEntries, { query: { object_id: runId } })
    const states = items.filter(({ object_type }) => object_type === 'run').toReversed()
    if (states.some(({ to_state }) => to_state === 'completed')) return states
    await sleep(500)
  }
}

/** The run of the trigger's first event. */
async function startedBy(client: Client, id: string): Promise<string> {
  for (;;) {
    const { items } = await client.call(allRoutes.listTriggerEvents, { params: { id } })
    const [event] = items
    if (event?.status === 'refused') throw new Error(`the trigger started no run: ${event.error_code}`)
    if (event?.run_id) return event.run_id
    await sleep(500)
  }
}
