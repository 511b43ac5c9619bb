import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId, DepartmentId, UserId } from '../../identifiers.ts'
import { loginPattern, nameMaxLength, passwordMaxLength, passwordMinLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, PlainText, Strict, VisibleText } from '../../schema.ts'
import { roles } from './role.ts'

/** 0 auditor (extension), 1 member, 2 manager of named departments, 3 company manager, 4 company administrator (contract part 3, D1). */
export const Role = Type.Integer({ minimum: roles.auditor, maximum: roles.company_administrator })
export type Role = Static<typeof Role>

export const Login = Type.String({ pattern: loginPattern })
export const Password = PlainText({ minLength: passwordMinLength, maxLength: passwordMaxLength })
const DisplayName = VisibleText({ maxLength: nameMaxLength })
const ManagedDepartments = Type.Array(DepartmentId, { maxItems: 1000, uniqueItems: true })

export const User = Type.Object({
  id: UserId,
  company_id: CompanyId,
  login: about('Login name.', Type.String(), 'ada'),
  display_name: about('Name as people see it.', Type.String(), 'Ada'),
  role: about(
    '0 auditor, 1 member, 2 manager of departments, 3 company manager, 4 company administrator.',
    Role,
    1,
  ),
  managed_department_ids: about(
    'Departments that the user manages; only for role 2.',
    Type.Array(DepartmentId),
  ),
  created_at: about('When it was created.', DateTime),
  disabled_at: about('When the user was disabled; null if they may log in.', Nullable(DateTime), null),
})
export type User = Static<typeof User>

export const UserList = listOf(User)
export type UserList = Static<typeof UserList>

/** `display_name` defaults to the login, `role` to member. */
export const UserCreateRequest = Strict({
  login: about('Login name, unique in the deployment.', Login, 'ada'),
  password: about('Password, 12 to 256 characters.', Password, 'correct horse battery'),
  display_name: about('Name as people see it; by default the login name.', Type.Optional(DisplayName), 'Ada'),
  role: about(
    '0 auditor, 1 member (default), 2 manager of departments, 3 company manager, 4 company administrator.',
    Type.Optional(Role),
    1,
  ),
  managed_department_ids: about(
    'Departments that the user manages; only for role 2.',
    Type.Optional(ManagedDepartments),
  ),
})
export type UserCreateRequest = Static<typeof UserCreateRequest>

/** A new password and `disabled` invalidate the user's tokens. */
export const UserUpdateRequest = Strict({
  password: about(
    'New password; it ends all logins of the user.',
    Type.Optional(Password),
    'correct horse battery',
  ),
  display_name: about('New name as people see it.', Type.Optional(DisplayName), 'Ada'),
  role: about(
    '0 auditor, 1 member, 2 manager of departments, 3 company manager, 4 company administrator.',
    Type.Optional(Role),
    2,
  ),
  managed_department_ids: about(
    'Departments that the user manages; only for role 2.',
    Type.Optional(ManagedDepartments),
  ),
  disabled: about(
    'True ends all logins of the user and refuses new ones.',
    Type.Optional(Type.Boolean()),
    false,
  ),
})
export type UserUpdateRequest = Static<typeof UserUpdateRequest>
