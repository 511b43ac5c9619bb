import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, CompanyId, DepartmentId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { Nullable, OneOf } from '../../schema.ts'
import { Role } from '../companies/user.ts'
import { deployments } from '../environments/region.ts'
import { AuthMethod, PrincipalType } from '../runs/run.ts'
import { ApiKeyScope } from './api-key.ts'

/** Permissions of the caller, as a hint for user interfaces; it grants nothing (contract part 3, D5). */
export const Me = Type.Object({
  company_id: CompanyId,
  principal_type: about('Kind of the caller.', PrincipalType),
  principal_id: about('Identifier of the caller, by its kind.', Type.String(), exampleId('user')),
  auth_method: about('How the caller logged in.', AuthMethod),
  role: about(
    '0 auditor, 1 member, 2 manager of departments, 3 company manager, 4 company administrator.',
    Role,
    3,
  ),
  api_key_scope: about('Scope of the API key; null for a login.', Nullable(ApiKeyScope), null),
  allowed_chatroom_ids: about(
    'Rooms that the API key may use; null if it names none.',
    Nullable(Type.Array(ChatroomId)),
    null,
  ),
  managed_department_ids: about('Departments that the caller manages.', Type.Array(DepartmentId)),
  can: about(
    'Actions that the caller may try; it grants nothing.',
    Type.Object({
      manage_company: about('Change the settings of the company.', Type.Boolean(), true),
      create_company_task: about('Create a task that the company owns.', Type.Boolean(), true),
      create_department_task: about('Create a task that a department owns.', Type.Boolean(), true),
      upload_environment: about('Upload an archive and create environments.', Type.Boolean(), true),
      quick_run: about('Quick-run scripts in a room.', Type.Boolean(), true),
    }),
  ),
  sandbox_enabled: about('False while the operator has stopped all changes.', Type.Boolean(), true),
  deployment: about('Kind of the deployment.', OneOf(deployments), 'onprem'),
})
export type Me = Static<typeof Me>
