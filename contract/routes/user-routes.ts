import { ApiKeyId, UserId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ApiKeyList } from '../resources/access/api-key.ts'
import { User, UserCreateRequest, UserList, UserUpdateRequest } from '../resources/companies/user.ts'
import { Strict } from '../schema.ts'
import { platformPrefix } from './prefixes.ts'
import { route } from './route.ts'

const users = `${platformPrefix}/users` as const
const user = `${users}/{id}` as const
const apiKeys = `${platformPrefix}/api-keys` as const
const apiKey = `${apiKeys}/{id}` as const

const UserParams = Strict({ id: UserId })
const KeyParams = Strict({ id: ApiKeyId })

const administrator = { action: 'directory.manage', tag: 'Platform' } as const

/** Users and keys of one company, for its administrators (contract part 3, D1). */
export const userRoutes = {
  listUsers: route({
    ...administrator,
    method: 'GET',
    path: users,
    summary: 'List users; disabled users count as retired',
    description: 'With their roles and the departments that they manage.',
    query: listQuery(catalogPageSizeDefault),
    response: UserList,
    errors: ['insufficient_permissions'],
  }),
  createUser: route({
    ...administrator,
    method: 'POST',
    path: users,
    summary: 'Create a user',
    description: 'The user can log in at once with createToken.',
    body: UserCreateRequest,
    response: User,
    errors: [
      'insufficient_permissions',
      'already_exists',
      'managed_departments_invalid',
      'storage_quota_exceeded',
    ],
  }),
  readUser: route({
    ...administrator,
    method: 'GET',
    path: user,
    summary: 'Read a user',
    description: 'One user of the company.',
    params: UserParams,
    response: User,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  updateUser: route({
    ...administrator,
    method: 'PATCH',
    path: user,
    summary: 'Change name, password, role or departments, disable or enable a user',
    description:
      'Send only what changes, at least one field. A new password and `disabled` end all logins of the user.',
    params: UserParams,
    body: UserUpdateRequest,
    response: User,
    errors: [
      'insufficient_permissions',
      'not_found',
      'no_fields',
      'last_administrator',
      'managed_departments_invalid',
      'storage_quota_exceeded',
    ],
  }),
  listApiKeys: route({
    ...administrator,
    method: 'GET',
    path: apiKeys,
    summary: 'List API keys; revoked keys count as retired',
    description: 'Without the keys themselves.',
    query: listQuery(catalogPageSizeDefault),
    response: ApiKeyList,
    errors: ['insufficient_permissions'],
  }),
  createApiKey: route({
    ...administrator,
    method: 'POST',
    path: apiKeys,
    summary: 'Create an API key; only this response contains it',
    description:
      'Keep `api_key` from the answer: it cannot be read again. A `sandbox` key names the rooms that it may use.',
    body: ApiKeyCreateRequest,
    response: ApiKeyCreated,
    errors: [
      'insufficient_permissions',
      'not_found',
      'already_exists',
      'allowed_chatrooms_invalid',
      'storage_quota_exceeded',
    ],
  }),
  readApiKey: route({
    ...administrator,
    method: 'GET',
    path: apiKey,
    summary: 'Read an API key',
    description: 'Without the key itself.',
    params: KeyParams,
    response: ApiKey,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  revokeApiKey: route({
    ...administrator,
    method: 'POST',
    path: `${apiKey}/revoke`,
    summary: 'Revoke an API key',
    description: 'It stops working at once. Queued runs that it submitted do not start.',
    params: KeyParams,
    response: ApiKey,
    errors: ['insufficient_permissions', 'not_found', 'illegal_transition'],
  }),
}
