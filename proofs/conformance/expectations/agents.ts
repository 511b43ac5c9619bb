import type { Expectation } from './expectation.ts'

export const agents: Record<string, Expectation> = {
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
  listRoomMessages: {},
  readRoomNotifications: {},
  updateRoomNotifications: { body: () => ({ announces_runs: true }) },
}
