import type { EncryptedValue } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { newId } from '../../../server/base/ids.ts'
import { addMember, makeDepartment, makeRoom, makeUser } from '../../../testing/factories/tenant.ts'
import { makeDoor, makeNotification, makeProposal, makeSchedule, makeWebhook } from './seed-agents.ts'
import { makeEnvironment } from './seed-environment.ts'
import { makeFiles } from './seed-files.ts'
import { makeRuns } from './seed-runs.ts'
import { makeTables } from './seed-tables.ts'
import { makeSecrets, makeTask } from './seed-task.ts'
import type { SeedTools } from './seed-tools.ts'

/** The seed of one company: one object of each kind, by the names that `idsFor` and the expectations use. */
export interface Seed {
  companyId: string
  people: {
    /** Member of the room that all requests use. */
    member: Principal
    /** Member of that room, flagged as its manager. */
    roomManager: Principal
    /** Member of another room, in another department. */
    outsider: Principal
    /** Manages the department of the room. */
    manager: Principal
    /** Manages the other department. */
    otherManager: Principal
    companyManager: Principal
    auditor: Principal
    administrator: Principal
  }
  otherRoom: string
  /** A value as clients send it to this service, which it was not sent to. */
  envelope: EncryptedValue
  /** Of `newerTaskVersion`. */
  versionDigest: string
  ids: Record<Example, string>
}

export const examples = [
  'room',
  'department',
  'user',
  'apiKey',
  'environment',
  'readyVersion',
  'version',
  'failedVersion',
  'failedBuild',
  'build',
  'finding',
  'exception',
  'upload',
  'receivedUpload',
  'task',
  'taskVersion',
  'newerTaskVersion',
  'draft',
  'share',
  'binding',
  'secret',
  'secretApproval',
  'run',
  'queuedRun',
  'artifact',
  'inputFile',
  'session',
  'publicToken',
  'socialClient',
  'toolName',
  'proposal',
  'notification',
  'webhook',
  'delivery',
  'schedule',
  'door',
  'link',
  'shareToken',
  'sharedObject',
  'mediaToken',
  'mediaName',
  'table',
  'row',
  'command',
  'trigger',
  'callbackToken',
] as const
export type Example = (typeof examples)[number]

/** The password of every user. */
export const examplePassword = 'correct horse battery'

/** Creates a company with one object of every kind that has an id. */
export async function makeSeed(tools: SeedTools): Promise<Seed> {
  const { db } = tools
  const companyId = newId('company')
  await db.insertInto('companies').values({ id: companyId, name: companyId }).execute()
  const department = await makeDepartment(db, companyId)
  const otherDepartment = await makeDepartment(db, companyId)
  const room = await makeRoom(db, { companyId, departmentId: department })
  const otherRoom = await makeRoom(db, { companyId, departmentId: otherDepartment })
  const person = (role: number, managedDepartmentIds: string[] = []) =>
    makeUser(db, { companyId, role, managedDepartmentIds })
  const people = {
    member: await person(1),
    roomManager: await person(1),
    outsider: await person(1),
    manager: await person(2, [department]),
    otherManager: await person(2, [otherDepartment]),
    companyManager: await person(3),
    auditor: await person(0),
    administrator: await person(4),
  }
  await db
    .updateTable('users')
    .set({ password_hash: tools.passwordHash })
    .where('company_id', '=', companyId)
    .execute()
  await addMember(db, { companyId, roomId: room, userId: people.member.principalId })
  await addMember(db, { companyId, roomId: room, userId: people.roomManager.principalId, roomManager: true })
  await addMember(db, { companyId, roomId: room, userId: people.auditor.principalId, roomManager: true })
  await addMember(db, { companyId, roomId: otherRoom, userId: people.outsider.principalId })
  const key = await tools.sendOk(people.administrator, allRoutes.createApiKey, {
    body: { name: 'key', scope: 'full' },
  })
  const scope = { companyId, department, room, manager: people.manager }
  const built = await makeEnvironment(tools, scope)
  const offered = await makeTask(tools, scope, built.readyVersion)
  const used = await makeRuns(tools, { ...scope, ...offered, environmentVersion: built.readyVersion })
  const { ids: supplied, ...secrets } = await makeSecrets(tools, { ...scope, ...offered })
  const apiKey = String(key.id)
  const client = await tools.sendOk(people.administrator, allRoutes.createSocialMediaClient, {
    params: { cid: room },
    body: { channel: 'whatsapp', client_id: 'W1' },
  })
  const files = await makeFiles(tools, { room, person: people.member })
  const proposal = await makeProposal(db, { companyId, room, person: people.member, ...offered })
  const notification = await makeNotification(db, { companyId, userId: people.member.principalId })
  const hooks = await makeWebhook(tools, people.companyManager)
  const agents = { socialClient: String(client.id), toolName: 'sandbox_job_menu', proposal, notification }
  const sent = { ...files, ...(await makeTables(tools, { ...scope, ...offered })) }
  const user = people.member.principalId
  const ids = {
    room,
    department,
    user,
    apiKey,
    ...built,
    ...offered,
    ...supplied,
    ...used,
    ...agents,
    ...sent,
    ...hooks,
    schedule: await makeSchedule(tools, { ...scope, ...offered }),
    door: await makeDoor(tools, { ...scope, environmentVersion: built.readyVersion }),
  }
  return { companyId, people, otherRoom, ...secrets, ids }
}
