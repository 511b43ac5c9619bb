import type {
  Department,
  DepartmentCreateRequest,
  DepartmentList,
  DepartmentUpdateRequest,
  OwnDepartmentList,
} from '@sandbox-jobs/contract/resources/companies/department.ts'
import { authorize, departmentsManagedBy, ownCompany } from '../access/allow.ts'
import { directoryBytes, type ListRequest, type Platform, pageById } from '../access/directory/platform.ts'
import type { Principal } from '../access/principal.ts'
import { CodedError, notFound } from '../base/errors/coded-error.ts'
import type { PageRequest } from '../base/page.ts'
import { violates } from '../db/database.ts'
import {
  type DepartmentRow,
  findDepartmentRow,
  insertDepartment,
  listDepartmentRows,
  listOwnDepartmentRows,
  renameDepartmentRow,
} from './department-store.ts'

const render = (row: DepartmentRow): Department => ({ ...row, created_at: row.created_at.toISOString() })

export function listDepartments(
  platform: Platform,
  principal: Principal,
  request: ListRequest,
): Promise<DepartmentList> {
  authorize(principal, 'directory.manage', ownCompany)
  const list = { name: 'departments', companyId: principal.companyId, request }
  return pageById(platform, list, (stretch) => listDepartmentRows(platform.db, stretch), render)
}

/** The departments that the caller manages, in order of creation. */
export function listOwnDepartments(
  platform: Platform,
  principal: Principal,
  request: PageRequest,
): Promise<OwnDepartmentList> {
  const managed = departmentsManagedBy(principal)
  return pageById(
    platform,
    { name: 'own-departments', companyId: principal.companyId, request },
    (stretch) => listOwnDepartmentRows(platform.db, managed, stretch),
    (row) => row,
  )
}

/** Throws `already_exists` if the company already uses the name, and `storage_quota_exceeded`. */
export async function createDepartment(
  platform: Platform,
  principal: Principal,
  request: DepartmentCreateRequest,
): Promise<Department> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  await platform.requireStorageQuota(platform.db, companyId, directoryBytes.entry)
  return render(await named(insertDepartment(platform.db, companyId, request.name)))
}

export async function readDepartment(
  platform: Platform,
  principal: Principal,
  id: string,
): Promise<Department> {
  authorize(principal, 'directory.manage', ownCompany)
  const row = await findDepartmentRow(platform.db, principal.companyId, id)
  if (!row) throw notFound()
  return render(row)
}

/** Throws `already_exists` if the company already uses the name. */
export async function updateDepartment(
  platform: Platform,
  principal: Principal,
  id: string,
  { name }: DepartmentUpdateRequest,
): Promise<Department> {
  authorize(principal, 'directory.manage', ownCompany)
  if (name === undefined) throw new CodedError('no_fields')
  const row = await named(renameDepartmentRow(platform.db, { companyId: principal.companyId, id }, name))
  if (!row) throw notFound()
  return render(row)
}

const named = <T>(write: Promise<T>): Promise<T> =>
  write.catch((error: unknown) => {
    throw violates(error, 'departments_company_id_name_key') ? new CodedError('already_exists') : error
  })
