import { gzipSync } from 'node:zlib'
import type { RouteName } from '@sandbox-jobs/contract/routes/index.ts'
import { tar } from '../builds/archive/archive-fixtures.ts'
import { type Estate, type Example, examplePassword } from './estate.ts'
import type { Request } from './send.ts'
import type { Caller } from './world.ts'

/** Whom a route serves. */
interface Audience {
  callers: readonly Caller[]
  /** What everybody else gets: 404 unless it says otherwise. */
  refusal?: 403
  /** What ids of another company or of nothing get: 404 unless it says otherwise. */
  missing?: 403
}

const managers = ['manager', 'companyManager', 'administrator'] as const
const roomPeople = ['member', 'fullKey', ...managers] as const
const company = ['outsider', 'otherManager', ...roomPeople] as const

/** Audiences by name (contract part 1, "Roles"); room and owner are those of the estate. */
const audiences = {
  /** No credentials asked. */
  anyone: { callers: ['nobody', 'otherCompany', 'sandboxKeyInside', 'sandboxKeyOutside', ...company] },
  /** Whoever is of the company; another company's people see their own things in a list. */
  company: { callers: company },
  /** Who may use a task in a room it is shared to, and who manages it. */
  borrowers: { callers: roomPeople },
  /** Members and managers of the room, and keys for it. */
  room: { callers: [...roomPeople, 'sandboxKeyInside'] },
  roomManagers: { callers: managers },
  owners: { callers: managers },
  ownersElse403: { callers: managers, refusal: 403 },
  roomManagersElse403: { callers: managers, refusal: 403, missing: 403 },
  companyManagers: { callers: ['companyManager', 'administrator'], refusal: 403 },
  administrators: { callers: ['administrator'], refusal: 403 },
} as const satisfies Record<string, Audience>

export const audienceOf = (name: AudienceName): Audience => audiences[name]

type AudienceName = keyof typeof audiences

/** What a well-formed call of a route meets. */
export interface Expectation {
  who: AudienceName
  /** Answer to who may: 200, or the status of a rule that only they meet. */
  allowed?: number
  /** Examples that stand in for the usual ones of a path parameter. */
  use?: Record<string, Example>
  body?: (estate: Estate) => unknown
  /** A raw body. */
  bytes?: Buffer
  /** The file of a multipart body. */
  file?: Buffer
  query?: Record<string, string>
  headers?: Record<string, string>
}

/** A well-formed call, but for the ids of its path. */
export function exampleCall(expectation: Expectation, estate: Estate): Request {
  const { body, bytes, file, query, headers } = expectation
  return {
    ...(body && { body: body(estate) }),
    ...(bytes && { bytes }),
    ...(file && { file }),
    ...(query && { query }),
    ...(headers && { headers }),
  }
}

const exampleBundle = gzipSync(tar({ name: 'data.txt', content: Buffer.from('1') }))
const digest = `sha256:${'b'.repeat(64)}`

/** Every route of the contract. A route without a line here fails the matrix. */
export const expectations: Partial<Record<RouteName | (string & {}), Expectation>> = {
  listRegions: { who: 'anyone' },
  listProfiles: { who: 'anyone' },
  readPublicKey: { who: 'anyone' },
  createToken: {
    who: 'anyone',
    body: ({ people }) => ({ username: people.member.principalId, password: examplePassword }),
  },
  readMe: { who: 'company' },
  listOwnChatrooms: { who: 'company' },

  listEnvironments: { who: 'company' },
  createEnvironment: {
    who: 'owners',
    body: ({ ids }) => ({ name: 'New', owner_scope: 'department', owner_id: ids.department }),
  },
  readEnvironment: { who: 'company' },
  updateEnvironment: { who: 'owners', body: () => ({ name: 'Renamed' }) },
  archiveEnvironment: { who: 'owners' },
  listEnvironmentVersions: { who: 'company' },
  createEnvironmentVersion: {
    who: 'owners',
    body: () => ({ source_digest: digest, resource_profile: 'standard' }),
  },
  readEnvironmentVersion: { who: 'company' },
  archiveEnvironmentVersion: { who: 'owners', use: { vid: 'readyVersion' } },
  retryBuild: { who: 'owners', use: { vid: 'failedVersion' } },
  retryProvisioning: { who: 'owners', use: { vid: 'readyVersion' } },
  createBuild: { who: 'owners', use: { vid: 'failedVersion' } },
  listBuilds: { who: 'company' },
  readBuild: { who: 'company' },
  cancelBuild: { who: 'owners' },
  readBuildDetails: { who: 'owners' },
  readBuildLog: { who: 'owners' },
  followBuildLog: { who: 'owners', use: { vid: 'failedVersion', aid: 'failedBuild' } },
  readVersionIsolation: { who: 'owners' },
  changeVersionIsolation: { who: 'owners', body: () => ({ isolation: 'standard' }) },
  readVersionBuildCache: { who: 'owners' },
  changeVersionBuildCache: { who: 'owners', body: () => ({ cache: 'none' }) },
  readEnvironmentEgress: { who: 'owners' },
  changeEnvironmentEgress: {
    who: 'owners',
    body: () => ({ allow_list: { domains: ['a.example'], cidrs: [] } }),
  },
  readProvenance: { who: 'owners', use: { vid: 'readyVersion' } },
  listImageSignatures: { who: 'owners', use: { vid: 'readyVersion' } },
  downloadImage: { who: 'owners', use: { vid: 'readyVersion' } },
  listSigningKeys: { who: 'anyone' },
  readScanReport: { who: 'owners' },
  readSbom: { who: 'owners' },
  listFindings: { who: 'owners' },
  listExceptions: { who: 'owners' },
  createException: { who: 'owners', body: () => ({ reason: 'known' }) },
  revokeException: { who: 'owners' },

  listContextObjects: { who: 'owners' },
  initContextUpload: { who: 'owners', body: () => ({ declared_bytes: 1 }) },
  readContextUpload: { who: 'owners' },
  putContextUpload: {
    who: 'owners',
    bytes: Buffer.from('archive'),
    headers: { 'x-sandbox-upload-capability': 'of another session' },
    allowed: 409,
  },
  completeContextUpload: { who: 'owners', use: { sid: 'receivedUpload' } },
  abortContextUpload: { who: 'owners' },

  listTasks: { who: 'company' },
  createTask: {
    who: 'ownersElse403',
    body: ({ ids }) => ({ name: 'New', owner_scope: 'department', owner_id: ids.department }),
  },
  readTask: { who: 'borrowers' },
  updateTask: { who: 'owners', body: () => ({ name: 'Renamed' }) },
  archiveTask: { who: 'owners' },
  readTaskEgress: { who: 'owners' },
  changeTaskEgress: { who: 'owners', body: () => ({ allow_list: { domains: [], cidrs: [] } }) },
  listTaskVersions: { who: 'borrowers' },
  createTaskVersion: {
    who: 'owners',
    body: ({ ids }) => ({ environment_version_id: ids.readyVersion, work_script: 'true' }),
  },
  readTaskVersion: { who: 'borrowers' },
  updateTaskVersion: { who: 'owners', use: { vid: 'draft' }, body: () => ({ work_script: 'false' }) },
  publishTaskVersion: { who: 'owners', use: { vid: 'draft' } },
  archiveTaskVersion: { who: 'owners' },
  uploadScript: { who: 'owners', file: Buffer.from('true') },
  uploadBundle: { who: 'owners', file: exampleBundle },
  putScriptFile: {
    who: 'owners',
    use: { vid: 'draft' },
    query: { target: 'work' },
    file: Buffer.from('true'),
  },
  previewInput: { who: 'borrowers', body: () => ({ input: {} }) },
  listShares: { who: 'owners' },
  createShare: {
    who: 'owners',
    body: ({ ids }) => ({ target_kind: 'department', target_id: ids.department }),
  },
  revokeShare: { who: 'owners' },

  readMenu: { who: 'room' },
  listGrantedJobs: { who: 'roomManagers' },
  enableGrantedJob: { who: 'roomManagers' },
  disableGrantedJob: { who: 'roomManagers' },

  createBinding: {
    who: 'roomManagers',
    body: ({ ids }) => ({ chatroom_id: ids.room, task_id: ids.task, task_version_id: ids.newerTaskVersion }),
  },
  readBinding: { who: 'roomManagers' },
  acceptBindingVersion: {
    who: 'roomManagers',
    body: ({ ids }) => ({ task_version_id: ids.newerTaskVersion }),
  },
  revokeBinding: { who: 'roomManagers' },
  listTaskBindings: { who: 'borrowers' },
  listRoomBindings: { who: 'roomManagers' },
  updateChatroomJobs: { who: 'roomManagersElse403', body: () => ({ jobs: ['sandbox'] }) },
  listChatroomsByJob: { who: 'company' },
  countChatroomsByJob: { who: 'company' },

  readSettings: { who: 'companyManagers' },
  readStorageUse: { who: 'companyManagers' },
  updateSettings: {
    who: 'companyManagers',
    body: () => ({
      run_content_retention_days: 30,
      unreferenced_image_retention_days: 30,
      allowed_regions: ['onprem'],
      policy_version: 1,
    }),
  },
  listTaskRuns: { who: 'companyManagers' },
  countTaskRuns: { who: 'companyManagers' },
  listVisibleRuns: { who: 'company' },

  submitRun: {
    who: 'room',
    body: ({ ids }) => ({ task_version_id: ids.taskVersion, input: {} }),
    headers: { 'idempotency-key': 'once' },
  },
  retryRun: { who: 'borrowers', headers: { 'idempotency-key': 'once' } },
  quickRun: {
    who: 'roomManagers',
    body: ({ ids }) => ({
      name: 'Quick',
      environment_version_id: ids.readyVersion,
      work_script: 'true',
      input: {},
      timeout_seconds: 60,
    }),
    headers: { 'idempotency-key': 'once' },
  },
  listRuns: { who: 'room' },
  readRun: { who: 'room' },
  readRunContent: { who: 'room' },
  readRunLog: { who: 'borrowers' },
  followRunLog: { who: 'borrowers' },
  readNetworkLog: { who: 'borrowers' },
  readRunUsage: { who: 'borrowers' },
  deleteRunContent: { who: 'roomManagers' },
  listRunArtifacts: { who: 'room' },
  createDownloadCapability: { who: 'room' },
  cancelRun: { who: 'room' },

  mintLogLink: { who: 'borrowers' },
  revokeLogLink: { who: 'borrowers' },
  mintOutputLink: { who: 'borrowers' },
  revokeOutputLink: { who: 'borrowers' },
  mintArtifactLink: { who: 'borrowers' },
  revokeArtifactLink: { who: 'borrowers' },
  downloadByToken: { who: 'anyone' },

  readCompany: { who: 'administrators' },
  listDepartments: { who: 'administrators' },
  createDepartment: { who: 'administrators', body: () => ({ name: 'New' }) },
  readDepartment: { who: 'administrators' },
  updateDepartment: { who: 'administrators', body: () => ({ name: 'Renamed' }) },
  listChatrooms: { who: 'administrators' },
  createChatroom: {
    who: 'administrators',
    body: ({ ids }) => ({ department_id: ids.department, name: 'New' }),
  },
  readChatroom: { who: 'administrators' },
  updateChatroom: { who: 'administrators', body: () => ({ name: 'Renamed' }) },
  deleteChatroom: { who: 'administrators' },
  listMembers: { who: 'administrators' },
  putMember: { who: 'administrators' },
  deleteMember: { who: 'administrators' },
  listUsers: { who: 'administrators' },
  createUser: { who: 'administrators', body: () => ({ login: 'somebody.new', password: examplePassword }) },
  readUser: { who: 'administrators' },
  updateUser: { who: 'administrators', body: () => ({ display_name: 'Renamed' }) },
  listApiKeys: { who: 'administrators' },
  createApiKey: { who: 'administrators', body: () => ({ name: 'New', scope: 'full' }) },
  readApiKey: { who: 'administrators' },
  revokeApiKey: { who: 'administrators' },
}
