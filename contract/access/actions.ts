import type { SubjectKind } from './action.ts'
import { agentActions } from './agent-actions.ts'
import { companyActions } from './company-actions.ts'
import { environmentActions } from './environment-actions.ts'
import { notificationActions } from './notification-actions.ts'
import { roomActions } from './room-actions.ts'
import { runActions } from './run-actions.ts'
import { scheduleActions } from './schedule-actions.ts'
import { secretActions } from './secret-actions.ts'
import { sessionActions } from './session-actions.ts'
import { tableActions } from './table-actions.ts'
import { taskActions } from './task-actions.ts'

/** The actions, by area. */
export const actionsByArea = {
  Company: companyActions,
  Environments: environmentActions,
  Tasks: taskActions,
  Rooms: roomActions,
  Secrets: secretActions,
  Tables: tableActions,
  Runs: runActions,
  Schedules: scheduleActions,
  Sessions: sessionActions,
  Agents: agentActions,
  Notifications: notificationActions,
} as const

/**
 * Every action. Each route names one (`contract/routes`); services ask `server/access/allow.ts` about it; docs/access.md
 * and the matrix of the conformance suite are made from it. An action without a route is part of another one.
 */
export const actions = {
  ...companyActions,
  ...environmentActions,
  ...taskActions,
  ...roomActions,
  ...secretActions,
  ...tableActions,
  ...runActions,
  ...scheduleActions,
  ...sessionActions,
  ...agentActions,
  ...notificationActions,
} as const

export type ActionName = keyof typeof actions

/** Actions on a kind of subject. */
export type ActionOn<Kind extends SubjectKind> = {
  [Name in ActionName]: (typeof actions)[Name]['subject'] extends Kind ? Name : never
}[ActionName]

/** Actions that need no credentials. */
export type OpenAction = ActionOn<'open' | 'token'>

export const needsCredentials = (name: ActionName): boolean =>
  actions[name].subject !== 'open' && actions[name].subject !== 'token'
