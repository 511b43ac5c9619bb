import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Strict, VisibleText } from '../../schema.ts'

export const Department = Type.Object({
  id: Identifier,
  company_id: Identifier,
  name: Type.String(),
  created_at: DateTime,
})
export type Department = Static<typeof Department>

export const DepartmentList = listOf(Department)
export type DepartmentList = Static<typeof DepartmentList>

export const DepartmentCreateRequest = Strict({ name: VisibleText({ maxLength: nameMaxLength }) })
export type DepartmentCreateRequest = Static<typeof DepartmentCreateRequest>

export const DepartmentUpdateRequest = Strict({
  name: Type.Optional(VisibleText({ maxLength: nameMaxLength })),
})
export type DepartmentUpdateRequest = Static<typeof DepartmentUpdateRequest>
