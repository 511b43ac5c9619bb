/** Who acts: resolved from credentials once per request, never from a parameter. */
export interface Principal {
  companyId: string
  principalType: 'user' | 'social_media_client'
  principalId: string
  authMethod: 'jwt' | 'api_key'
  /** 1 member, 2 department manager, 3 company manager, 4 company administrator. */
  role: number
  managedDepartmentIds: string[]
  apiKey?: { id: string; scope: 'full' | 'sandbox'; allowedChatroomIds: string[] }
}

/** Company roles (contract part 3, D1). */
export const departmentManagerRole = 2
export const companyManagerRole = 3
export const administratorRole = 4

export const managesCompany = (principal: Principal): boolean => principal.role >= companyManagerRole

/** Company managers manage every department of theirs; others the ones they are named for. */
export const managesDepartment = (principal: Principal, departmentId: string): boolean =>
  managesCompany(principal) || principal.managedDepartmentIds.includes(departmentId)

/** Whether the principal may manage what `scope` and `ownerId` own (contract part 1, "Roles"). */
export const managesOwner = (principal: Principal, owner: { scope: string; id: string }): boolean =>
  owner.scope === 'department' ? managesDepartment(principal, owner.id) : managesCompany(principal)

/** A sandbox-scope key sees its own runs only and manages nothing. */
export const isRestricted = (principal: Principal): boolean => principal.apiKey?.scope === 'sandbox'
