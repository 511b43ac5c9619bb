import { spawn } from 'node:child_process'
import { beforeEach, expect, it } from 'vitest'
import { SecretSteps } from '../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { LocalKeys } from './keys/local-keys.ts'
import { openSecrets } from './resolve/open-secrets.ts'
import { countWrappedElsewhere } from './rewrap-store.ts'
import { rotateSecretKeys } from './rotate-keys.ts'

const { db, url } = await createTestDatabase()
const { tasks } = new TestApi(db)
let secrets: SecretSteps
let tenant: Tenant
let taskId: string
beforeEach(async () => {
  await db.deleteFrom('secret_values').execute()
  secrets = new SecretSteps(new TestApi(db))
  tenant = await makeTenant(db)
  taskId = (await tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
})

const set = (slot: string) =>
  secrets.set(
    tenant.companyManager,
    { scope: 'company', id: tenant.companyId, taskId, slot },
    `value of ${slot}`,
  )
const rotate = () =>
  rotateSecretKeys({ db, keys: secrets.keys, makeKey: () => secrets.keys.rotate() }, () => undefined)
const opened = async (secretId: string, slot: string) => {
  const pin = { secretId, generation: 1, consumerScope: 'company', consumerId: tenant.companyId } as const
  const pins = { [slot]: { ...pin, resolvedVia: 'owner' as const, approvalId: null, isNextVersion: false } }
  return (await openSecrets({ db, keys: secrets.keys }, { companyId: tenant.companyId, taskId }, pins))?.[
    slot
  ]
}

it('wraps every value under the next key, so that the former opens nothing more', async () => {
  const made = [await set('A'), await set('B'), await set('C')]
  expect(await rotate()).toEqual({ keyId: 'local:2', total: 3, done: 3, damaged: 0 })
  secrets.keys.remove(1)
  for (const { binding } of made)
    expect(await opened(binding.id, binding.slot_name)).toBe(`value of ${binding.slot_name}`)
  expect((await rotate()).keyId).toBe('local:3')
})

it('leaves what no key opens, and still makes the next key', async () => {
  const good = await set('GOOD')
  const bad = await set('BAD')
  await db
    .updateTable('secret_values')
    .set({ wrapped_key: Buffer.alloc(60) })
    .where('binding_id', '=', bad.binding.id)
    .where('company_id', '=', tenant.companyId)
    .execute()
  expect(await rotate()).toEqual({ keyId: 'local:2', total: 2, done: 1, damaged: 1 })
  expect(await rotate()).toEqual({ keyId: 'local:3', total: 2, done: 1, damaged: 1 })
  expect(await opened(good.binding.id, 'GOOD')).toBe('value of GOOD')
})

it('is finished by the next call with the same key, wherever it was killed', async () => {
  const slots = Array.from({ length: 40 }, (_, at) => `S${at}`)
  const made = await Promise.all(slots.map(set))
  const modules = {
    rotate: new URL('./rotate-keys.ts', import.meta.url).href,
    keys: new URL('./keys/local-keys.ts', import.meta.url).href,
    database: new URL('../db/database.ts', import.meta.url).href,
    log: new URL('../base/logging.ts', import.meta.url).href,
  }
  const program = `
    const { rotateSecretKeys } = await import(${JSON.stringify(modules.rotate)})
    const { LocalKeys } = await import(${JSON.stringify(modules.keys)})
    const { connect } = await import(${JSON.stringify(modules.database)})
    const { createLog } = await import(${JSON.stringify(modules.log)})
    const db = connect(${JSON.stringify(url)}, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
    const keys = new LocalKeys(${JSON.stringify(secrets.wrappingKeysFolder)})
    let wrapped = 0
    const wrap = keys.wrap.bind(keys)
    keys.wrap = async (...given) => {
      wrapped += 1
      if (wrapped === 15) process.kill(process.pid, 'SIGKILL')
      return wrap(...given)
    }
    await rotateSecretKeys({ db, keys, makeKey: () => keys.rotate() }, () => undefined)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
  expect(await countWrappedElsewhere(db, 'local:2')).toBe(26)
  expect(await rotate()).toEqual({ keyId: 'local:2', total: 26, done: 26, damaged: 0 })
  const keys = new LocalKeys(secrets.wrappingKeysFolder)
  expect(keys.numbers()).toEqual([2, 1])
  keys.remove(1)
  for (const { binding } of made)
    expect(await opened(binding.id, binding.slot_name)).toBe(`value of ${binding.slot_name}`)
})
