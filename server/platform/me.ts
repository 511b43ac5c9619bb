import type { Me } from '@sandbox-jobs/contract/resources/me.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/region.ts'
import type { Directory } from './directory.ts'
import { isRestricted, managesCompany, type Principal } from './principal.ts'

export interface MeServices {
  directory: Directory
  enabled: boolean
  deployment: Deployment
}

/** What the caller may try; every hint is checked again where it matters (contract part 3, D5). */
export async function readMe(services: MeServices, principal: Principal): Promise<Me> {
  const { directory, enabled, deployment } = services
  const free = !isRestricted(principal)
  const company = free && managesCompany(principal)
  const department = company || (free && principal.managedDepartmentIds.length > 0)
  return {
    company_id: principal.companyId,
    principal_type: principal.principalType,
    principal_id: principal.principalId,
    auth_method: principal.authMethod,
    role: principal.role,
    api_key_scope: principal.apiKey?.scope ?? null,
    allowed_chatroom_ids: principal.apiKey?.allowedChatroomIds ?? null,
    managed_department_ids: principal.managedDepartmentIds,
    can: {
      manage_company: company,
      create_company_task: company,
      create_department_task: department,
      upload_environment: department,
      quick_run: department || (await directory.managedRoomIds(principal)).length > 0,
    },
    sandbox_enabled: enabled,
    deployment,
  }
}
