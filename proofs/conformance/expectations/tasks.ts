import { gzipSync } from 'node:zlib'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import type { Expectation } from './expectation.ts'

const exampleBundle = gzipSync(tar({ name: 'data.txt', content: Buffer.from('1') }))

export const tasks: Record<string, Expectation> = {
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
  revokeBinding: {},
  listTaskBindings: {},
  listTaskOverviews: {},
  listRoomBindings: {},
  updateChatroomJobs: { body: () => ({ jobs: ['sandbox'] }) },
  listChatroomsByJob: {},
  countChatroomsByJob: {},
}
