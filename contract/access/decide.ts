import { roles } from '../resources/companies/role.ts'
import type { Action, SubjectKind } from './action.ts'
import { type ActionName, actions } from './actions.ts'
import type { AccessRole } from './role.ts'

/** The person or key that acts, as far as decisions go. */
export interface Actor {
  companyId: string
  /** Absent: a user. */
  principalType?: 'user' | 'social_media_client'
  /** A number of `roles`; 0 for external people, who have none. */
  role: number
  managedDepartmentIds: readonly string[]
  apiKey?: { scope: 'full' | 'sandbox'; allowedChatroomIds: readonly string[] } | undefined
}

export interface OwnCompany {
  kind: 'company'
}

/** A thing with an owner; `companyId` is null for what belongs to the deployment, such as a curated environment. */
export interface OwnedThing {
  kind: 'owned'
  companyId: string | null
  ownerScope: string
  ownerId: string
  /** True when a live share reaches the actor. */
  isBorrowed?: boolean
}

/** A room of the actor's company, with what the actor is listed as in it. */
export interface RoomOfActor {
  kind: 'room'
  id: string
  departmentId: string
  /** Null for who is not listed. */
  membership: 'member' | 'manager' | null
}

/** A proposal of the actor's company. */
export interface ProposedJob {
  kind: 'proposal'
  /** Whether an agent proposed it to the actor. */
  isOwn: boolean
}

/** A notification of the actor's company. */
export interface OneNotification {
  kind: 'notification'
  /** Whether it is for the actor. */
  isOwn: boolean
}

/** A session of the actor's company. */
export interface OneSession {
  kind: 'session'
  /** Whether the actor created it; a sandbox-scope key, whether it did so itself. */
  isOwn: boolean
  roomId: string
}

interface Subjects {
  open: never
  token: never
  turn: never
  company: OwnCompany
  owned: OwnedThing
  room: RoomOfActor
  proposal: ProposedJob
  notification: OneNotification
  session: OneSession
  consumer: OwnedThing | RoomOfActor
}
export type Subject = Subjects[SubjectKind]
export type SubjectOf<Name extends ActionName> = Subjects[(typeof actions)[Name]['subject']]

/**
 * Whether the actor may do this to the subject: pure, from the table alone. The code that looked the subject up has compared
 * companies for rooms; of owned things, those of other companies are refused here too.
 */
export function allows<Name extends ActionName>(name: Name, actor: Actor, subject: SubjectOf<Name>): boolean {
  const action: Action = actions[name]
  return passesKey(action, actor, subject) && isAnyOf(action.roles, actor, subject)
}

/** Whether the person, whatever their key may do, holds one of the roles. */
export const isAnyOf = (of: readonly AccessRole[], actor: Actor, subject: Subject): boolean =>
  isAuditor(actor) ? of.includes('auditor') : of.some((role) => holds[role](actor, subject))

/** An auditor holds no other role, whatever rooms or departments list them. */
export const isAuditor = ({ principalType, role }: Actor): boolean =>
  role === roles.auditor && principalType !== 'social_media_client'

/** A sandbox-scope key acts in the rooms that it names, and nowhere else (contract part 1, "Restricted API keys"). */
function passesKey({ key }: Action, { apiKey }: Actor, subject: Subject): boolean {
  if (apiKey?.scope !== 'sandbox') return true
  if (key !== 'allowed' && key !== 'own' && key !== 'door') return false
  const roomId =
    subject.kind === 'room' ? subject.id : subject.kind === 'session' ? subject.roomId : undefined
  return roomId !== undefined && apiKey.allowedChatroomIds.includes(roomId)
}

const holds: Record<AccessRole, (actor: Actor, subject: Subject) => boolean> = {
  company_member: (actor, subject) => isInCompany(actor, subject) || isOfDeployment(subject),
  borrower: (actor, subject) =>
    subject.kind === 'owned' && subject.isBorrowed === true && isInCompany(actor, subject),
  room_member: (_actor, subject) => subject.kind === 'room' && subject.membership !== null,
  room_manager: (_actor, subject) => subject.kind === 'room' && subject.membership === 'manager',
  department_manager: (actor, subject) =>
    isInCompany(actor, subject) && actor.managedDepartmentIds.includes(departmentOf(subject) ?? ''),
  company_manager: (actor, subject) => isInCompany(actor, subject) && actor.role >= roles.company_manager,
  administrator: (actor, subject) => isInCompany(actor, subject) && actor.role >= roles.company_administrator,
  auditor: isAuditor,
  proposer: (_actor, subject) => subject.kind === 'proposal' && subject.isOwn,
  session_owner: (_actor, subject) => subject.kind === 'session' && subject.isOwn,
  recipient: (_actor, subject) => subject.kind === 'notification' && subject.isOwn,
}

const isInCompany = (actor: Actor, subject: Subject): boolean =>
  subject.kind !== 'owned' || subject.companyId === actor.companyId

const isOfDeployment = (subject: Subject): boolean => subject.kind === 'owned' && subject.companyId === null

function departmentOf(subject: Subject): string | undefined {
  if (subject.kind === 'room') return subject.departmentId
  return subject.kind === 'owned' && subject.ownerScope === 'department' ? subject.ownerId : undefined
}
