import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { Nullable, OneOf } from '../../schema.ts'
import { Role } from '../companies/user.ts'
import { deployments } from '../environments/region.ts'
import { AuthMethod, PrincipalType } from '../runs/run.ts'
import { ApiKeyScope } from './api-key.ts'

/** Permissions of the caller, as a hint for user interfaces; it grants nothing (contract part 3, D5). */
export const Me = Type.Object({
  company_id: Identifier,
  principal_type: PrincipalType,
  principal_id: Type.String(),
  auth_method: AuthMethod,
  role: Role,
  /** Null without an API key. */
  api_key_scope: Nullable(ApiKeyScope),
  allowed_chatroom_ids: Nullable(Type.Array(Identifier)),
  managed_department_ids: Type.Array(Identifier),
  can: Type.Object({
    manage_company: Type.Boolean(),
    create_company_task: Type.Boolean(),
    create_department_task: Type.Boolean(),
    upload_environment: Type.Boolean(),
    quick_run: Type.Boolean(),
  }),
  sandbox_enabled: Type.Boolean(),
  deployment: OneOf(deployments),
})
export type Me = Static<typeof Me>
