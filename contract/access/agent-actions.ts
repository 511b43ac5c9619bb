import type { Action } from './action.ts'
import { everybody, proposers, roomManagers, roomPeople } from './role.ts'

/** Human turns, and the tools of agents. */
export const agentActions = {
  'message.post': {
    does: 'Post a message in a room, which is a human turn',
    subject: 'room',
    roles: roomPeople,
    key: 403,
    refusal: 'hidden',
  },
  'message.list': {
    does: 'List the messages of a room',
    subject: 'room',
    roles: roomPeople,
    key: 403,
    refusal: 'hidden',
  },
  'room.read_notifications': {
    does: 'Read whether the ends of runs are announced in a room',
    subject: 'room',
    roles: roomPeople,
    key: 403,
    refusal: 'hidden',
  },
  'room.set_notifications': {
    does: 'Set whether the ends of runs are announced in a room',
    subject: 'room',
    roles: roomManagers,
    key: 403,
    refusal: 'hidden',
  },
  /** In its services the agent may what its person may: they ask about the actions of the menu and of runs. */
  'agent.use_tools': {
    does: 'Use the agent tools in a human turn',
    subject: 'turn',
    roles: [],
    key: 403,
    refusal: 'none',
  },
  'proposal.list': {
    does: 'List the jobs that wait for the confirmation of the caller',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'proposal.decide': {
    does: 'Read and reject a job that an agent proposed',
    subject: 'proposal',
    roles: proposers,
    key: 403,
    refusal: 'hidden',
  },
  'proposal.confirm': {
    does: 'Confirm a job that an agent proposed',
    subject: 'proposal',
    roles: proposers,
    key: 403,
    refusal: 'hidden',
    needsLogin: true,
  },
} as const satisfies Record<string, Action>
