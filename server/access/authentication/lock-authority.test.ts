import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeSandboxKey } from '../../../testing/factories/platform.ts'
import { makeDepartment, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { replaceManagedDepartments } from '../../companies/department-manager-store.ts'
import { updateUserRow } from '../../companies/user-store.ts'
import { deleteDoorRow, insertDoor } from '../../doors/catalogue/door-store.ts'
import { revokeApiKeyRow } from '../keys/api-key-store.ts'
import type { Principal } from '../principal.ts'
import { lockAuthority } from './lock-authority.ts'

const { db } = await createTestDatabase()
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const now = (principal: Principal) => db.transaction().execute((trx) => lockAuthority(trx, principal))
const keyOf = ({ companyId, principalId }: Principal) => ({ companyId, id: principalId })

describe('the authority of a principal at a write', () => {
  it('is what the directory says then', async () => {
    const { departmentManager, companyId, departmentId } = tenant
    expect(await now(departmentManager)).toEqual(departmentManager)
    const other = await makeDepartment(db, companyId)
    await db.transaction().execute(async (trx) => {
      await replaceManagedDepartments(trx, { companyId, userId: departmentManager.principalId }, [other])
      await updateUserRow(trx, keyOf(departmentManager), { displayName: 'moved' })
    })
    expect((await now(departmentManager)).managedDepartmentIds).toEqual([other])
    expect(departmentManager.managedDepartmentIds).toEqual([departmentId])
    await updateUserRow(db, keyOf(departmentManager), { role: 1 })
    expect(await now(departmentManager)).toMatchObject({ role: 1, managedDepartmentIds: [] })
  })

  it('is none for a user who is disabled, and for a login that a new password ended', async () => {
    const login = { ...tenant.member, credentialGeneration: 1 }
    expect((await now(login)).role).toBe(1)
    await updateUserRow(db, keyOf(tenant.member), { passwordHash: 'another' })
    await expect(now(login)).rejects.toMatchObject({ status: 418 })
    expect((await now(tenant.member)).role).toBe(1)
    await updateUserRow(db, keyOf(tenant.member), { disabledAt: new Date() })
    await expect(now(tenant.member)).rejects.toMatchObject({ status: 418 })
  })

  it('is none for a key that is revoked', async () => {
    const key = await makeSandboxKey(db, tenant.member, [tenant.roomId])
    expect(await now(key)).toEqual(key)
    await revokeApiKeyRow(db, { companyId: key.companyId, id: key.apiKey?.id ?? '' }, new Date())
    await expect(now(key)).rejects.toMatchObject({ status: 418 })
  })

  it('is that of the owner of a door, until the door is removed', async () => {
    const { companyId, roomId: chatroomId, roomManager } = tenant
    const id = newId('door')
    await db.transaction().execute((trx) =>
      insertDoor(trx, {
        id,
        company_id: companyId,
        chatroom_id: chatroomId,
        owner_user_id: roomManager.principalId,
        name: 'door',
        kind: 'librechat',
        network: false,
        timeout_seconds: 60,
        key_hash: Buffer.alloc(32, id),
        pepper: 0,
      }),
    )
    const key: Pick<Principal, 'apiKey'> = {
      apiKey: { id, scope: 'sandbox', allowedChatroomIds: [chatroomId] },
    }
    const reader = { ...roomManager, ...key }
    expect(await now(reader)).toEqual(reader)
    await expect(now({ ...tenant.member, ...key })).rejects.toMatchObject({ status: 418 })
    await deleteDoorRow(db, { companyId, chatroomId, id })
    await expect(now(reader)).rejects.toMatchObject({ status: 418 })
  })

  it('is read after a dismissal that it had to wait for', async () => {
    const { departmentManager: manager, companyId } = tenant
    const written = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const dismissal = db.transaction().execute(async (trx) => {
      await updateUserRow(trx, keyOf(manager), {})
      await replaceManagedDepartments(trx, { companyId, userId: manager.principalId }, [])
      written.resolve()
      await mayCommit.promise
    })
    await written.promise
    const late = now(manager)
    mayCommit.resolve()
    await dismissal
    expect((await late).managedDepartmentIds).toEqual([])
  })
})
