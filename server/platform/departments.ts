import type {
  Department,
  DepartmentCreateRequest,
  DepartmentList,
  DepartmentUpdateRequest,
} from '@sandbox-jobs/contract/resources/department.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import { violates } from '../db/database.ts'
import {
  type DepartmentRow,
  findDepartmentRow,
  insertDepartment,
  listDepartmentRows,
  renameDepartmentRow,
} from './department-store.ts'
import { type ListRequest, type Platform, pageById, requireAdministrator } from './platform.ts'
import type { Principal } from './principal.ts'

const render = (row: DepartmentRow): Department => ({ ...row, created_at: row.created_at.toISOString() })

export function listDepartments(
  platform: Platform,
  principal: Principal,
  request: ListRequest,
): Promise<DepartmentList> {
  requireAdministrator(principal)
  const list = { name: 'departments', companyId: principal.companyId, request }
  return pageById(platform, list, (stretch) => listDepartmentRows(platform.db, stretch), render)
}

/** Throws `already_exists` for a name the company has. */
export async function createDepartment(
  platform: Platform,
  principal: Principal,
  request: DepartmentCreateRequest,
): Promise<Department> {
  requireAdministrator(principal)
  return render(await named(insertDepartment(platform.db, principal.companyId, request.name)))
}

export async function readDepartment(
  platform: Platform,
  principal: Principal,
  id: string,
): Promise<Department> {
  requireAdministrator(principal)
  const row = await findDepartmentRow(platform.db, principal.companyId, id)
  if (!row) throw notFound()
  return render(row)
}

/** Throws `already_exists` for a name the company has. */
export async function updateDepartment(
  platform: Platform,
  principal: Principal,
  id: string,
  { name }: DepartmentUpdateRequest,
): Promise<Department> {
  requireAdministrator(principal)
  if (name === undefined) throw new CodedError('no_fields')
  const row = await named(renameDepartmentRow(platform.db, { companyId: principal.companyId, id }, name))
  if (!row) throw notFound()
  return render(row)
}

const named = <T>(write: Promise<T>): Promise<T> =>
  write.catch((error: unknown) => {
    throw violates(error, 'departments_company_id_name_key') ? new CodedError('already_exists') : error
  })
