/**
 * The relation of a caller to the subject of an action (contract part 1, "Roles"; part 3, D1). A caller may hold several.
 */
export const accessRoles = [
  /** Any user of the company. */
  'company_member',
  /** A live share of the task reaches a room that the caller is in or manages, or a department that they manage. */
  'borrower',
  /** Listed as a member of the room. */
  'room_member',
  /** Listed as a member of the room and flagged as its manager. */
  'room_manager',
  /** Manages the department that owns the thing, or that the room belongs to. */
  'department_manager',
  'company_manager',
  'administrator',
  /** Has the company role 0: may what names it, and nothing else. */
  'auditor',
  /** The person for whom an agent proposed the job. */
  'proposer',
  /** The person whom a notification is for. */
  'recipient',
  /** The person who created the session. */
  'session_owner',
] as const
export type AccessRole = (typeof accessRoles)[number]

/* Callers of an action, from the narrowest to everybody in the company, whom a role lets in. Each list names all who may. */
/** Readers of the audit log. */
export const auditReaders = ['auditor', 'administrator'] as const satisfies AccessRole[]
export const administrators = ['administrator'] as const satisfies AccessRole[]
export const companyManagers = ['company_manager', ...administrators] as const satisfies AccessRole[]
/** Of a thing that a department owns: that department's managers too. */
export const ownerManagers = ['department_manager', ...companyManagers] as const satisfies AccessRole[]
export const borrowers = ['borrower', ...ownerManagers] as const satisfies AccessRole[]
export const roomManagers = ['room_manager', ...ownerManagers] as const satisfies AccessRole[]
export const roomPeople = ['room_member', ...roomManagers] as const satisfies AccessRole[]
export const everybody = ['company_member', 'borrower', ...roomPeople] as const satisfies AccessRole[]
/** The person to whom a job was proposed, alone. */
export const proposers = ['proposer'] as const satisfies AccessRole[]
/** The recipient of a notification, alone. */
export const recipients = ['recipient'] as const satisfies AccessRole[]
/** The person who created a session, alone. */
export const sessionOwners = ['session_owner'] as const satisfies AccessRole[]
