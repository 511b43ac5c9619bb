import type { Me } from '@sandbox-jobs/contract/resources/access/me.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { departmentOf, may, ownCompany, ownedBy } from '../allow.ts'
import type { Principal } from '../principal.ts'
import type { Directory } from './directory.ts'

export interface MeServices {
  directory: Directory
  isEnabled: () => boolean
  deployment: Deployment
}

/** Hints about the caller's rights; each right is checked again at its use (contract part 3, D5). */
export async function readMe(services: MeServices, principal: Principal): Promise<Me> {
  const { directory, isEnabled, deployment } = services
  const { companyId: company_id, managedDepartmentIds } = principal
  const company = ownedBy({ company_id, owner_scope: 'company', owner_id: company_id })
  const mayCreate = (action: 'task.create' | 'environment.create'): boolean =>
    [company, ...managedDepartmentIds.map((id) => departmentOf(principal, id))].some((owner) =>
      may(principal, action, owner),
    )
  const managesDepartment = mayCreate('task.create')
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
      manage_company: may(principal, 'settings.manage', ownCompany),
      create_company_task: may(principal, 'task.create', company),
      create_department_task: managesDepartment,
      upload_environment: mayCreate('environment.create'),
      quick_run: managesDepartment || (await directory.managedRoomIds(principal)).length > 0,
    },
    sandbox_enabled: isEnabled(),
    deployment,
  }
}
