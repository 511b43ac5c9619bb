import type { Expectation } from './expectation.ts'

export const agents: Record<string, Expectation> = {
  postMessage: { body: () => ({ text: 'Please run the report.' }) },
  listAgentTools: {},
  callAgentTool: { body: () => ({}) },
  listProposals: {},
  readProposal: {},
  readProposalInput: {},
  confirmProposal: {},
  rejectProposal: {},
  listSocialMediaClients: {},
  createSocialMediaClient: {
    body: () => ({ channel: 'line', client_id: 'U1', display_name: 'Lin' }),
  },
  deleteSocialMediaClient: {},
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
  listSchedules: {},
  previewSchedule: {
    queryOf: ({ ids }) => ({ task_id: ids.task, cron: '0 6 * * *', time_zone: 'UTC' }),
  },
  createSchedule: {
    body: ({ ids }) => ({
      name: 'New',
      task_id: ids.task,
      cron: '30 7 * * mon-fri',
      time_zone: 'Europe/Berlin',
      input: {},
    }),
  },
  readSchedule: {},
  readScheduleInput: {},
  updateSchedule: { body: () => ({ enabled: false }) },
  deleteSchedule: {},
  listScheduleTicks: {},
  listRoomMessages: {},
  readRoomNotifications: {},
  updateRoomNotifications: { body: () => ({ announces_runs: true }) },
}
