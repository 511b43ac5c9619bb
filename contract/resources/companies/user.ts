import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, PlainText, Strict, VisibleText } from '../../schema.ts'

export const roles = {
  member: 1,
  department_manager: 2,
  company_manager: 3,
  company_administrator: 4,
} as const

/** 1 member, 2 manager of named departments, 3 company manager, 4 company administrator (contract part 3, D1). */
export const Role = Type.Integer({ minimum: roles.member, maximum: roles.company_administrator })
export type Role = Static<typeof Role>

export const passwordMinLength = 12
export const passwordMaxLength = 256

export const Login = Type.String({ pattern: '^[A-Za-z0-9_.:@-]{1,64}$' })
const Password = PlainText({ minLength: passwordMinLength, maxLength: passwordMaxLength })
const DisplayName = VisibleText({ maxLength: nameMaxLength })
const ManagedDepartments = Type.Array(Identifier, { maxItems: 1000, uniqueItems: true })

export const User = Type.Object({
  id: Identifier,
  company_id: Identifier,
  login: Type.String(),
  display_name: Type.String(),
  role: Role,
  managed_department_ids: Type.Array(Identifier),
  created_at: DateTime,
  disabled_at: Nullable(DateTime),
})
export type User = Static<typeof User>

export const UserList = listOf(User)
export type UserList = Static<typeof UserList>

/** `display_name` defaults to the login, `role` to member. */
export const UserCreateRequest = Strict({
  login: Login,
  password: Password,
  display_name: Type.Optional(DisplayName),
  role: Type.Optional(Role),
  managed_department_ids: Type.Optional(ManagedDepartments),
})
export type UserCreateRequest = Static<typeof UserCreateRequest>

/** A new password and `disabled` invalidate the user's tokens. */
export const UserUpdateRequest = Strict({
  password: Type.Optional(Password),
  display_name: Type.Optional(DisplayName),
  role: Type.Optional(Role),
  managed_department_ids: Type.Optional(ManagedDepartments),
  disabled: Type.Optional(Type.Boolean()),
})
export type UserUpdateRequest = Static<typeof UserUpdateRequest>
