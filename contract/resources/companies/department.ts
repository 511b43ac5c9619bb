import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId, DepartmentId } from '../../identifiers.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Strict, VisibleText } from '../../schema.ts'

export const Department = Type.Object({
  id: DepartmentId,
  company_id: CompanyId,
  name: about('Name of the department.', Type.String(), 'Trade'),
  created_at: about('When it was created.', DateTime),
})
export type Department = Static<typeof Department>

export const DepartmentList = listOf(Department)
export type DepartmentList = Static<typeof DepartmentList>

/** A department as shown to its managers (extension). */
export const OwnDepartment = Type.Object({
  id: DepartmentId,
  name: about('Name of the department.', Type.String(), 'Trade'),
})
export type OwnDepartment = Static<typeof OwnDepartment>

export const OwnDepartmentList = listOf(OwnDepartment)
export type OwnDepartmentList = Static<typeof OwnDepartmentList>

export const DepartmentCreateRequest = Strict({
  name: about(
    'Name of the department, unique in the company.',
    VisibleText({ maxLength: nameMaxLength }),
    'Trade',
  ),
})
export type DepartmentCreateRequest = Static<typeof DepartmentCreateRequest>

export const DepartmentUpdateRequest = Strict({
  name: about(
    'New name of the department.',
    Type.Optional(VisibleText({ maxLength: nameMaxLength })),
    'Foreign trade',
  ),
})
export type DepartmentUpdateRequest = Static<typeof DepartmentUpdateRequest>
