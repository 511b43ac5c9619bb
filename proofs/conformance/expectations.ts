import { gzipSync } from 'node:zlib'
import type { RouteName } from '@sandbox-jobs/contract/routes/index.ts'
import { tar } from '../../server/archives/formats/archive-fixtures.ts'
import { type Example, examplePassword, type Seed } from './seed/seed.ts'
import type { Request } from './send.ts'

/** A well-formed request, and its result for allowed callers; `contract/access` says who is allowed. */
export interface Expectation {
  /** Status for allowed callers: 200, or the status of a later rule. */
  allowed?: number
  /** Status for a token of another form; absent: 404. */
  otherToken?: number
  /** Examples that replace the default ones of path parameters. */
  use?: Record<string, Example>
  body?: (seed: Seed) => unknown
  /** A raw body. */
  bytes?: Buffer
  /** The file of a multipart body. */
  file?: Buffer
  query?: Record<string, string>
  queryOf?: (seed: Seed) => Record<string, string>
  headers?: Record<string, string>
}

/** A well-formed request, without the ids of its path. */
export function exampleCall(expectation: Expectation, seed: Seed): Request {
  const { body, bytes, file, queryOf, headers } = expectation
  const query = queryOf?.(seed) ?? expectation.query
  return {
    ...(body && { body: body(seed) }),
    ...(bytes && { bytes }),
    ...(file && { file }),
    ...(query && { query }),
    ...(headers && { headers }),
  }
}

const exampleBundle = gzipSync(tar({ name: 'data.txt', content: Buffer.from('1') }))
const digest = `sha256:${'b'.repeat(64)}`

const exampleKey = { 'idempotency-key': 'of the example' }
const consumerOf = (ids: Seed['ids']) => ({
  consumer_scope: 'chatroom',
  consumer_id: ids.room,
  task_id: ids.task,
})
const secretBody =
  (slot_name: string) =>
  ({ ids, envelope }: Seed) => ({ ...consumerOf(ids), slot_name, encrypted_value: envelope })
const approvalBody = ({ ids, versionDigest }: Seed) => ({
  ...consumerOf(ids),
  task_version_id: ids.newerTaskVersion,
  task_version_digest: versionDigest,
  slot_names: ['OTHER'],
  risk_accepted: true,
})

/** Every route of the contract. The matrix fails for a route without a line here. */
export const expectations: Partial<Record<RouteName | (string & {}), Expectation>> = {
  listRegions: {},
  listProfiles: {},
  readPublicKey: {},
  createToken: {
    body: ({ people }) => ({ username: people.member.principalId, password: examplePassword }),
  },
  readMe: {},
  listOwnChatrooms: {},

  listEnvironments: {},
  createEnvironment: {
    body: ({ ids }) => ({ name: 'New', owner_scope: 'department', owner_id: ids.department }),
  },
  readEnvironment: {},
  updateEnvironment: { body: () => ({ name: 'Renamed' }) },
  archiveEnvironment: {},
  listEnvironmentVersions: {},
  createEnvironmentVersion: {
    body: () => ({ source_digest: digest, resource_profile: 'standard' }),
  },
  readEnvironmentVersion: {},
  archiveEnvironmentVersion: { use: { vid: 'readyVersion' } },
  retryBuild: { use: { vid: 'failedVersion' } },
  retryProvisioning: { use: { vid: 'readyVersion' } },
  createBuild: { use: { vid: 'failedVersion' } },
  listBuilds: {},
  readBuild: {},
  cancelBuild: {},
  readBuildDetails: {},
  readBuildLog: {},
  followBuildLog: { use: { vid: 'failedVersion', aid: 'failedBuild' } },
  followBuildEvents: { use: { vid: 'failedVersion', aid: 'failedBuild' } },
  readVersionIsolation: {},
  changeVersionIsolation: { body: () => ({ isolation: 'standard' }) },
  readVersionBuildCache: {},
  changeVersionBuildCache: { body: () => ({ cache: 'none' }) },
  readEnvironmentEgress: {},
  changeEnvironmentEgress: {
    body: () => ({ allow_list: { domains: ['a.example'], cidrs: [] } }),
  },
  readProvenance: { use: { vid: 'readyVersion' } },
  listImageSignatures: { use: { vid: 'readyVersion' } },
  downloadImage: { use: { vid: 'readyVersion' } },
  listSigningKeys: {},
  listBaseImages: {},
  readScanReport: {},
  readSbom: {},
  listFindings: {},
  listExceptions: {},
  createException: { body: () => ({ reason: 'known' }) },
  revokeException: {},

  listContextObjects: {},
  initContextUpload: { body: () => ({ declared_bytes: 1 }) },
  readContextUpload: {},
  putContextUpload: {
    bytes: Buffer.from('archive'),
    headers: { 'x-sandbox-upload-capability': 'of another session' },
    allowed: 409,
  },
  completeContextUpload: { use: { sid: 'receivedUpload' } },
  abortContextUpload: {},

  listTasks: {},
  createTask: {
    body: ({ ids }) => ({ name: 'New', owner_scope: 'department', owner_id: ids.department }),
  },
  readTask: {},
  updateTask: { body: () => ({ name: 'Renamed' }) },
  archiveTask: {},
  readTaskEgress: {},
  changeTaskEgress: { body: () => ({ allow_list: { domains: [], cidrs: [] } }) },
  listTaskVersions: {},
  createTaskVersion: {
    body: ({ ids }) => ({ environment_version_id: ids.readyVersion, work_script: 'true' }),
  },
  readTaskVersion: {},
  updateTaskVersion: { use: { vid: 'draft' }, body: () => ({ work_script: 'false' }) },
  publishTaskVersion: { use: { vid: 'draft' } },
  archiveTaskVersion: {},
  uploadScript: { file: Buffer.from('true') },
  uploadBundle: { file: exampleBundle },
  putScriptFile: {
    use: { vid: 'draft' },
    query: { target: 'work' },
    file: Buffer.from('true'),
  },
  previewInput: { body: () => ({ input: {} }) },
  listShares: {},
  createShare: {
    body: ({ ids }) => ({ target_kind: 'department', target_id: ids.department }),
  },
  revokeShare: {},

  readMenu: {},
  listGrantedJobs: {},
  enableGrantedJob: {},
  disableGrantedJob: {},

  createBinding: {
    body: ({ ids }) => ({ chatroom_id: ids.room, task_id: ids.task, task_version_id: ids.newerTaskVersion }),
  },
  readBinding: {},
  acceptBindingVersion: {
    body: ({ ids }) => ({ task_version_id: ids.newerTaskVersion }),
  },
  createSecret: { body: secretBody('OTHER'), headers: exampleKey },
  rotateSecret: { body: secretBody('TOKEN'), headers: exampleKey },
  revokeSecret: {
    body: ({ ids }) => ({ ...consumerOf(ids), slot_name: 'TOKEN' }),
    headers: exampleKey,
  },
  readSecret: {},
  listSecrets: {
    queryOf: ({ ids }) => ({ consumer_scope: 'chatroom', consumer_id: ids.room }),
  },
  listTaskSecrets: {},
  createSecretApproval: { body: approvalBody },
  revokeSecretApproval: {},
  createSharedTaskSecretApproval: { body: approvalBody },
  revokeSharedTaskSecretApproval: {},
  listTaskSecretApprovals: {},
  revokeBinding: {},
  listTaskBindings: {},
  listRoomBindings: {},
  updateChatroomJobs: { body: () => ({ jobs: ['sandbox'] }) },
  listChatroomsByJob: {},
  countChatroomsByJob: {},

  readSettings: {},
  readStorageUse: {},
  listKeptVersions: {},
  readUsageReport: {},
  downloadUsageReport: {},
  listAuditEntries: {},
  readAuditHead: {},
  exportAuditEntries: {},
  updateSettings: {
    body: () => ({
      run_content_retention_days: 30,
      unreferenced_image_retention_days: 30,
      allowed_regions: ['onprem'],
      policy_version: 1,
    }),
  },
  listTaskRuns: {},
  countTaskRuns: {},
  listVisibleRuns: {},

  postMessage: { body: () => ({ text: 'Please run the report.' }) },
  listAgentTools: {},
  callAgentTool: { body: () => ({}) },
  listProposals: {},
  readProposal: {},
  confirmProposal: {},
  rejectProposal: {},
  listSocialMediaClients: {},
  createSocialMediaClient: {
    body: () => ({ channel: 'line', client_id: 'U1', display_name: 'Lin' }),
  },
  deleteSocialMediaClient: {},
  submitRun: {
    body: ({ ids }) => ({ task_version_id: ids.taskVersion, input: {} }),
    headers: { 'idempotency-key': 'once' },
  },
  retryRun: { headers: { 'idempotency-key': 'once' } },
  quickRun: {
    body: ({ ids }) => ({
      name: 'Quick',
      environment_version_id: ids.readyVersion,
      work_script: 'true',
      input: {},
      timeout_seconds: 60,
    }),
    headers: { 'idempotency-key': 'once' },
  },
  listRuns: {},
  readRun: {},
  readRunContent: {},
  readRunOutput: {},
  listRunFiles: {},
  readRunArtifact: {},
  redeemDownloadCapability: {
    headers: { 'x-sandbox-download-capability': 'of something else' },
    allowed: 409,
  },
  downloadRunFiles: {},
  readRunRemarks: {},
  followRunEvents: {},
  waitForRun: {},
  runAndWait: {
    body: ({ ids }) => ({ task_version_id: ids.taskVersion, input: {}, wait_seconds: 0 }),
    headers: { 'idempotency-key': 'once' },
  },
  uploadInputFile: { query: { name: 'data.csv' }, bytes: Buffer.from('a,b') },
  listInputFiles: {},
  readInputFile: {},
  deleteInputFile: {},
  createSession: { body: () => ({ name: 'Analysis' }) },
  listSessions: {},
  readSession: {},
  deleteSession: {},
  listRoomSessions: {},
  deleteRoomSession: {},
  listSessionFiles: {},
  deleteSessionFile: { query: { path: 'data/a.csv' } },
  readSessionFile: { query: { path: 'data/a.csv' } },
  writeSessionFile: { query: { path: 'data/b.csv' }, bytes: Buffer.from('a,b') },
  createSessionFolder: { body: () => ({ path: 'more' }) },
  moveSessionFile: { body: () => ({ from: 'data/a.csv', to: 'c.csv' }) },
  downloadSession: {},
  quickRunInSession: {
    body: ({ ids }) => ({
      name: 'quick',
      environment_version_id: ids.readyVersion,
      work_script: 'true',
      input: {},
      timeout_seconds: 60,
    }),
    headers: { 'idempotency-key': 'once' },
  },
  submitExtendedRun: {
    body: ({ ids }) => ({
      task_version_id: ids.taskVersion,
      input: {},
      metadata: { external_user: 'U1' },
    }),
    headers: { 'idempotency-key': 'once' },
  },
  listExtendedRuns: { query: { metadata: 'external_user=U1' } },
  readExtendedRun: {},
  readRunLog: {},
  followRunLog: {},
  readNetworkLog: {},
  readRunUsage: {},
  deleteRunContent: {},
  listRunArtifacts: {},
  createDownloadCapability: {},
  cancelRun: {},

  mintLogLink: {},
  revokeLogLink: {},
  mintOutputLink: {},
  revokeOutputLink: {},
  mintArtifactLink: {},
  revokeArtifactLink: {},
  downloadByToken: {},
  createSignedLink: { body: () => ({ purpose: 'share' }) },
  listRunLinks: {},
  revokeRunLink: {},
  openShare: { use: { token: 'shareToken' } },
  openSharedObject: { use: { token: 'shareToken', oid: 'sharedObject' } },
  openMedia: { use: { token: 'mediaToken', name: 'mediaName' } },

  listDoors: {},
  createDoor: {
    body: ({ ids }) => ({
      name: 'New',
      kind: 'dify',
      runtimes: [{ language: 'python3', environment_version_id: ids.readyVersion }],
    }),
  },
  readDoor: {},
  deleteDoor: {},

  listWebhooks: {},
  createWebhook: { body: () => ({ url: 'https://example.org/hook' }) },
  readWebhook: {},
  updateWebhook: { body: () => ({ description: 'Changed' }) },
  deleteWebhook: {},
  rotateWebhookSecret: {},
  listWebhookDeliveries: {},
  redeliver: {},
  listNotifications: {},
  readMailPreferences: {},
  updateMailPreferences: { body: () => ({ muted_events: ['run_terminal'] }) },
  readNotification: {},
  listTables: {},
  createTable: {
    body: ({ ids }) => ({
      name: 'New',
      fields: [{ name: 'a', type: 'text' }],
      owner_scope: 'department',
      owner_id: ids.department,
    }),
  },
  readTable: {},
  updateTable: { body: () => ({ name: 'Renamed' }) },
  addTableFields: { body: () => ({ fields: [{ name: 'more', type: 'json' }] }) },
  archiveTable: {},
  listRows: { query: { sort: '-key' } },
  exportRows: { query: { format: 'csv' } },
  createRow: {
    body: ({ ids }) => ({ values: { key: '2' }, chatroom_id: ids.room }),
    headers: exampleKey,
  },
  readRow: {},
  updateRow: { body: () => ({ values: { key: '3' } }) },
  deleteRow: {},
  listRoomRows: {},
  listTableCommands: {},
  createTableCommand: {
    body: ({ companyId }) => ({
      name: 'New',
      inputs: [{ name: 'key', type: 'text' }],
      granted_scope: 'company',
      granted_id: companyId,
    }),
  },
  readTableCommand: {},
  updateTableCommand: { body: () => ({ name: 'Renamed' }) },
  archiveTableCommand: {},
  listTableTriggers: {},
  createTableTrigger: {
    body: ({ ids }) => ({
      name: 'New',
      events: ['create'],
      chatroom_id: ids.room,
      task_version_id: ids.newerTaskVersion,
    }),
  },
  readTableTrigger: {},
  updateTableTrigger: { body: () => ({ name: 'Renamed' }) },
  archiveTableTrigger: {},
  listTriggerEvents: { query: { status: 'waiting' } },
  listRoomCommands: {},
  /* The name is of no credential: `output_run_unavailable` with 404, whoever calls. */
  writeBack: {
    use: { token_id: 'callbackToken' },
    body: () => ({ op: 'create', values: {} }),
    allowed: 404,
    otherToken: 422,
  },
  sendCommandOutput: {
    use: { token_id: 'callbackToken' },
    body: () => ({ inputs: {} }),
    allowed: 404,
    otherToken: 422,
  },
  executeCommand: { body: () => ({ inputs: { key: '4' } }), headers: exampleKey },
  listRoomMessages: {},
  readRoomNotifications: {},
  updateRoomNotifications: { body: () => ({ announces_runs: true }) },

  readCompany: {},
  listDepartments: {},
  createDepartment: { body: () => ({ name: 'New' }) },
  readDepartment: {},
  updateDepartment: { body: () => ({ name: 'Renamed' }) },
  listChatrooms: {},
  createChatroom: {
    body: ({ ids }) => ({ department_id: ids.department, name: 'New' }),
  },
  readChatroom: {},
  updateChatroom: { body: () => ({ name: 'Renamed' }) },
  deleteChatroom: {},
  listMembers: {},
  putMember: {},
  deleteMember: {},
  listUsers: {},
  createUser: { body: () => ({ login: 'somebody.new', password: examplePassword }) },
  readUser: {},
  updateUser: { body: () => ({ display_name: 'Renamed' }) },
  listApiKeys: {},
  createApiKey: { body: () => ({ name: 'New', scope: 'full' }) },
  readApiKey: {},
  revokeApiKey: {},
}
